<?php

declare(strict_types=1);

namespace App\Shop;

use App\Money;

const TAX = 0.19;

/**
 * A cart.
 */
#[Entity]
final class Cart extends Model implements Countable, \JsonSerializable
{
    use HasItems;

    public const MAX = 10, MIN = 1;
    private static ?self $instance = null;
    protected array $items = [];
    public readonly string $id;

    public function __construct(
        private Money $total, // promoted
        string $id = '',
    ) {
        $this->id = $id;
    }

    /** How many. */
    #[Pure]
    public function count(): int
    {
        $local = fn ($x) => $x + 1;
        $other = function () use ($local) {
            return 1;
        };
        return count($this->items);
    }

    public static function instance(): static
    {
        return self::$instance ??= new static();
    }

    abstract protected function price(Item $item): Money;

    public function __get($name)
    {
        return new class extends Base {
            public function inner() {}
        };
    }
}

interface Priced
{
    const CURRENCY = 'EUR';

    public function price(): Money;
}

trait HasItems
{
    private int $added = 0;

    public function add(Item $item): void
    {
        $this->items[] = $item;
    }
}

enum Status: string
{
    case Open = 'open';
    case Closed = 'closed';

    public static function default(): self
    {
        return self::Open;
    }
}

function total(array $items): float
{
    function nested_helper() {}
    return array_sum($items);
}

if (!function_exists('größe')) {
    function größe() {}
}

abstract class Größe {}
?>
<html><?= total([]) ?></html>
<?php
function after_html() {}
