NLOHMANN_JSON_NAMESPACE_BEGIN
namespace detail
{

class iterator
{
  public:
    JSON_HEDLEY_NON_NULL(2)
    void set_begin(int at)
    {
        begin = at;
    }

    void set_end(int at)
    {
        end = at;
    }
};

} // namespace detail
NLOHMANN_JSON_NAMESPACE_END
