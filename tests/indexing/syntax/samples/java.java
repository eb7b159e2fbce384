package shop;

import java.util.List;
import static a.B.c;
import d.e.*;

/**
 * Sells things.
 */
@Entity(name = "x")
public class Shop<T> extends Base<T> implements Open, Serializable {
    public static final int LIMIT = 10;
    @Inject
    private Clock clock, watch;

    /** Makes one. */
    public Shop(String name) { super(name); }

    @Override
    public List<Receipt> sell(Thing thing) throws Closed {
        return clock.ask(new Sum<>(), Thing::price);
    }

    void hidden() {}

    enum Color { RED, GREEN { void x() {} } }
    interface Door { int WIDTH = 1; void knock(); }
    record Point(int x, int y) { Point { } }
    @interface Note { String value() default ""; }
}
