using System;
using System.Collections.Generic;

[assembly: InternalsVisibleTo("Tests")]

namespace Shop.Orders
{
    /// <summary>
    /// An order.
    /// </summary>
    [Serializable]
    [Table("orders")]
    public abstract partial class Order<T> : Entity, IDisposable where T : class
    {
        public const int MaxLines = 10;
        private static readonly List<Order<T>> Cache = new(), Other = new();
        private int _count; // how many

        public event EventHandler Changed;

        /// <summary>Its name.</summary>
        [Required]
        public string Name { get; set; } = "";

        public int Count => _count;

        public decimal Total
        {
            get { return _total; }
            private set { _total = value; }
        }

        public Line this[int index] => _lines[index];

        public Order(string name) : base(name)
        {
            Name = name;
        }

        static Order() { }

        ~Order() { }

        [Obsolete]
        public async Task<int> SaveAsync(
            string path, // where
            CancellationToken token = default)
        {
            const int local = 1;
            var other = 2;
            int Helper(int x) => x;
            return await Task.FromResult(Helper(local));
        }

        public void Add(Line line) { }
        public void Add(Line line, int count) { }

        void IDisposable.Dispose() { }

        public abstract T Find<TKey>(TKey key) where TKey : struct;

        public static Order<T> operator +(Order<T> a, Order<T> b) => a;
        public static implicit operator string(Order<T> order) => order.Name;

        public class Line
        {
            public int Price { get; init; }

            private struct Inner { public void Go() { } }
        }
    }

    public interface IRepository
    {
        int Size { get; }
        Order<object> Get(int id);
    }

    public enum State
    {
        Open,
        Closed = 2,
    }

    public record Customer(string Name, int Age)
    {
        public string Label() => Name;
    }

    public readonly record struct Point(int X, int Y);

    public struct Money
    {
        public decimal Amount;
    }

    public delegate void Handler(object sender, EventArgs e);

    public static class Extensions
    {
        public static string Shout(this string text) => text.ToUpper();
    }

    namespace Inner
    {
        class Größe { }
    }
}
