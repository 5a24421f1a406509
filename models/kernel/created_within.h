// SPDX-License-Identifier: MIT
#pragma once
#include <systemc>

namespace sunstar {

/// While it lives, all new SystemC objects belong to `parent`.
class CreatedWithin {
 public:
#if SC_VERSION_MAJOR >= 3
  explicit CreatedWithin(sc_core::sc_module& parent) : scope_((parent.*&Opened::get_hierarchy_scope)()) {}

 private:
  struct Opened : sc_core::sc_module {  // SystemC 3 lets only the parent itself ask
    using sc_core::sc_module::get_hierarchy_scope;
  };
  sc_core::sc_hierarchy_scope scope_;
#else
  explicit CreatedWithin(sc_core::sc_module& parent) : context_(*parent.simcontext()) {
    context_.hierarchy_push(&parent);
  }
  ~CreatedWithin() { context_.hierarchy_pop(); }
  CreatedWithin(const CreatedWithin&) = delete;
  CreatedWithin& operator=(const CreatedWithin&) = delete;

 private:
  sc_core::sc_simcontext& context_;
#endif
};

}  // namespace sunstar
