#include <vector>
using namespace std;
BEGIN_NAMESPACE
namespace shop {

/// Sells things.
template <typename T>
class Shop : public Base<T>, private ns::Door {
 public:
  Shop();
  explicit Shop(int x) : x_(x) {}
  ~Shop();
  virtual int sell(const Thing& t) const = 0;
  Shop& operator=(const Shop& o);
  static int count;
  template <class U> void each(U u) { run<U>(u); std::sort(u); u.ask(); }
  enum class Color { Red, Green };
  using Id = int;

 private:
  int x_;
  Thing& ref_;
};

}  // namespace shop

int shop::Shop<int>::sell(const Thing& t) const { return new Sum(t), 1; }
void Shop::close() {}
static void hidden() {}
struct Point { int x; };
concept Sized = true;
