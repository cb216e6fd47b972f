#include <vector>

#define CHECK(x) if (!(x)) abort()

namespace math {

constexpr double PI = 3.14;
using Vector = std::vector<double>;
typedef int Index;

/// A matrix.
template <typename T, int N = 2>
class Matrix : public Base<T>, private Other {
public:
    Matrix();
    explicit Matrix(int n) : n_(n), data_(n * n) {}
    Matrix(const Matrix &other) = default;
    virtual ~Matrix() = default;

    // The element.
    T &at(int row, int column);
    const T &at(int row, int column) const { return data_[row]; }

    Matrix operator+(const Matrix &other) const;
    bool operator()(int x) const { return x > 0; }
    operator bool() const { return true; }
    T *begin() { return nullptr; }

    template <typename F>
    void each(F f) {
        auto local = [&](int x) { return f(x); };
        struct Inner { void go() {} };
    }

    static int count;
    [[nodiscard]] virtual int size() const noexcept = 0;
    int (*callback)(int);

    struct Row {
        int index;
        void sort() {}
    };

    enum class Order { Row, Column };

private:
    int n_;
    std::vector<T> data_ = {};
    friend void swap(Matrix &a, Matrix &b) {}
};

template <typename T, int N>
T &Matrix<T, N>::at(int row, int column) {
    return data_[row];
}

double norm(const Vector &v);

namespace detail {
void helper() {}
}

namespace {
int hidden() { return 1; }
}

} // namespace math

namespace a::b {
struct Point { int x, y; };
}

math::Matrix<double>::Row *math::first(int x) { return nullptr; }

double math::norm(const Vector &v)
{
    return 0;
}

Widget::Widget(int x)
    : Base(x),
      value_{x}
{
}

Widget::~Widget() {}

Widget &Widget::operator=(const Widget &other) { return *this; }

auto Widget::size() const -> int { return 1; }

template <typename T>
concept Addable = requires(T a) { a + a; };

extern "C" {
int c_function(int x);
void c_defined() {}
}

int main() { return 0; }
