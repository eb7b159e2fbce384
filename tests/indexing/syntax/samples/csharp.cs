using System;
using static A.B;
using Text = System.Text;

namespace Acme.Shop;

/// <summary>Sells things.</summary>
[Serializable]
public abstract class Shop<T> : Base<T>, IOpen
{
    public const int Limit = 10;
    private readonly Clock clock, watch;
    public Shop(string name) : base(name) { }
    public int Price { get; set; }
    public event EventHandler Sold;

    // Sells.
    [Obsolete("x")]
    public override async Task<Receipt> Sell<U>(Thing thing)
    {
        int Inner(int z) => z;
        this.clock.Ask(new Sum());
        Run<Thing>(thing);
        return thing?.Close();
    }

    void Hidden() { }
}

interface IOpen { void Open(); }
enum Color { Red, Green = 2 }
struct Point { }
record Pair(int A, int B);
delegate void Handler(int x);
