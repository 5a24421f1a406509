// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <variant>

#include "models/core/figure.h"
#include "models/core/param.h"
#include "platforms/kit/json_text.h"
#include "platforms/kit/quantity_text.h"

// Types as data. A configuration or a result is a C++ struct; ordinary code that walks the struct's Type reads, prints
// and documents it. Only the making of a Type (platforms/kit/type_of.h) is a template, so that a new struct costs the
// compiler little.
namespace sunstar::kit {

struct Type;

struct Ref;
struct ConstRef;
/// An object that is no reference itself. platforms/kit/type_of.h makes its type.
template <class T>
concept Plain = !std::same_as<T, Ref> && !std::same_as<T, ConstRef> && !std::is_const_v<T>;
template <class T>
const Type& type_of();

struct Ref {
  const Type* type;
  void* at;

  Ref(const Type* t, void* object) : type(t), at(object) {}
  template <Plain T>
  Ref(T& object) : type(&type_of<T>()), at(&object) {}
  template <class T>
  T& as() const {
    return *static_cast<T*>(at);
  }
};
struct ConstRef {
  const Type* type;
  const void* at;

  ConstRef(const Type* t, const void* object) : type(t), at(object) {}
  ConstRef(Ref r) : type(r.type), at(r.at) {}
  template <Plain T>
  ConstRef(const T& object) : type(&type_of<T>()), at(&object) {}
  template <class T>
  const T& as() const {
    return *static_cast<const T*>(at);
  }
};

// The forms of a type. A function pointer takes the object as its first argument.

struct BooleanForm {};
/// Limits are written as text in the type's own notation (Param::min).
struct Ordered {
  bool (*from_notation)(void*, std::string_view);  ///< false: the text is no value of the type
  bool (*less)(const void*, const void*);
};
struct IntegerForm : Ordered {
  bool is_signed;
  std::int64_t least;
  std::uint64_t greatest;
  std::int64_t (*get)(const void*);  ///< an unsigned value in the same 64 bits
  void (*set)(void*, std::int64_t);
};
struct RealForm : Ordered {
  bool is_cycles;
  double (*get)(const void*);
  void (*set)(void*, double);
};
struct QuantityForm : Ordered {
  const Notation* notation;
  std::string (*text)(const void*);
  std::string (*parse)(void*, std::string_view);  ///< returns the error, or nothing
};
struct EnumForm {
  std::vector<std::string> names;  ///< as in JSON
  std::size_t (*get)(const void*);
  void (*set)(void*, std::size_t);
};
struct StringForm {};
struct PathForm {};
/// models/core/shape.h
struct ShapeForm {};
struct OptionalForm {
  const Type* value;
  void* (*get)(void*);  ///< null if the optional is empty
  void* (*emplace)(void*);
  void (*reset)(void*);
};
struct ListForm {
  const Type* element;
  bool is_fixed;  ///< std::array
  std::size_t (*size)(const void*);
  void* (*element_at)(void*, std::size_t);
  void (*assign)(void*, std::size_t);  ///< assigns this number of elements with their defaults
};
struct MapForm {
  const Type* element;
  void* (*element_at)(void*, const std::string&);  ///< adds the element if it is missing
  void (*for_each)(const void*, const std::function<void(const std::string&, const void*)>&);
};

struct Member {
  std::string name;
  const Type* type;
  void* (*of)(void* section);
  const Param* param = nullptr;    ///< null if parameters() leaves the member out or there is no such function
  const Figure* figure = nullptr;  ///< the same of figures()

  /// The declaration. Throws std::logic_error if it is missing.
  const Param& rule() const;
  const Figure& rule_of_figure() const;
  Ref in(Ref section) const { return {type, of(section.at)}; }
  ConstRef in(ConstRef section) const { return {type, of(const_cast<void*>(section.at))}; }
};
struct Base {
  const Type* type;
  void* (*of)(void* derived);
};
/// A described struct. Members of bases come first.
struct SectionForm {
  std::vector<Base> bases;
  std::vector<Member> members;
  std::size_t inherited = 0;    ///< members that belong to bases
  std::vector<Param> params;    ///< parameters(), those of bases first; empty if there is no such function
  std::vector<Figure> figures;  ///< the same of figures()
  std::string noun, folder;     ///< catalogue_of
  void (*check)(const void*, const std::string& path, Problems&) = nullptr;  ///< rules across members; may be null
  void (*is_base)(void*) = nullptr;  ///< called on a configuration when only its base has been read; may be null
  const Speedup& (*speed_up)(void*) = nullptr;  ///< a change of the whole section (models/core/param.h); may be null
  double (*severity)(const boost::json::object& trial) = nullptr;  ///< models/core/figure.h; may be null
};
/// One kind of a tagged choice (models/core/one_of.h).
struct Alternative {
  std::string kind, help;
  const Type* type;
};
struct ChoiceForm {
  std::vector<Alternative> alternatives;
  std::size_t (*chosen)(const void*);
  void (*choose)(void*, std::size_t);  ///< gives it its defaults, unless it is chosen already
  void* (*get)(void*);                 ///< the chosen alternative
};
/// Figures whose names are only known when the program runs (models/core/figure.h).
struct NamedFiguresForm {};
struct ObjectForm {};

using Form = std::variant<BooleanForm, IntegerForm, RealForm, QuantityForm, EnumForm, StringForm, PathForm, ShapeForm,
                          OptionalForm, ListForm, MapForm, SectionForm, ChoiceForm, NamedFiguresForm, ObjectForm>;

struct Type {
  Form form;
  std::shared_ptr<void> (*make)();  ///< an object with its defaults
  void (*assign)(void*, const void* from);

  Type(Form of, std::shared_ptr<void> (*maker)(), void (*assigner)(void*, const void*));
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;

  template <class F>
  const F* if_is() const {
    return std::get_if<F>(&form);
  }
  template <class F>
  bool is() const {
    return std::holds_alternative<F>(form);
  }
  template <class F>
  const F& as() const {
    return std::get<F>(form);
  }
  /// The type of a list's elements, a map's or an optional's value; null for others.
  const Type* element() const;
};

/// An object of its own, with its defaults or copied from another.
class Object {
 public:
  explicit Object(const Type* type) : type_(type), at_(type->make()) {}
  explicit Object(ConstRef from) : Object(from.type) { type_->assign(at_.get(), from.at); }
  Object(Object&&) = default;
  Object& operator=(Object&&) = default;
  Ref ref() const { return {type_, at_.get()}; }

 private:
  const Type* type_;
  std::shared_ptr<void> at_;
};

/// Calls the one of several functions that takes the form.
template <class... F>
struct ByForm : F... {
  using F::operator()...;
};
template <class... F>
decltype(auto) by_form(const Type& type, F&&... f) {
  return std::visit(ByForm<std::remove_cvref_t<F>...>{std::forward<F>(f)...}, type.form);
}

inline const std::vector<Member>& members_of(const Type& section) { return section.as<SectionForm>().members; }
std::vector<std::string> names_of(const std::vector<Member>& members);
const Member* find_member(const std::vector<Member>& members, std::string_view name);

/// The value of an optional; nothing if there is none.
inline void* value_at(const OptionalForm& form, const void* optional) { return form.get(const_cast<void*>(optional)); }
inline ConstRef element_of(const ListForm& form, const void* list, std::size_t i) {
  return {form.element, form.element_at(const_cast<void*>(list), i)};
}

// Tagged choices.

std::vector<std::string> kind_names(const ChoiceForm&);
inline const Alternative& chosen(const ChoiceForm& form, const void* choice) {
  return form.alternatives[form.chosen(choice)];
}
inline Ref chosen_ref(const ChoiceForm& form, void* choice) { return {chosen(form, choice).type, form.get(choice)}; }
inline ConstRef chosen_ref(const ChoiceForm& form, const void* choice) {
  return chosen_ref(form, const_cast<void*>(choice));
}
/// Returns false if there is no alternative of that name.
bool choose(const ChoiceForm& form, void* choice, std::string_view kind);
/// The kinds that have this key.
std::vector<std::string> kinds_with(const ChoiceForm&, std::string_view key);
/// A key of the alternatives, each once: a shared key is the first alternative's.
struct KeyOfAlternatives {
  const Alternative* alternative;
  const Member* member;
};
std::vector<KeyOfAlternatives> keys_of_alternatives(const ChoiceForm&);

/// The keys that an object for the section may have. After the tag of a choice come the keys of all its alternatives.
std::vector<std::string> key_names(const SectionForm&);
/// The same without the keys of alternatives that the section has not chosen.
std::vector<std::string> chosen_key_names(ConstRef section);

/// A configuration as JSON, every key with its value, for --print-config and results. read<T>(write(t)) == t.
json::value write(ConstRef);

/// Any value as JSON. `section` writes the sections in it, NamedFigures and JSON objects.
using WriteSection = json::object (*)(ConstRef);
json::value write_value(ConstRef, WriteSection section);

}  // namespace sunstar::kit
