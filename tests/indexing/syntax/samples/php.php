<?php
namespace App\Models;

use App\Store\Disk;
use App\Events\{Saved, Deleted as Gone};
require_once 'helpers.php';

const LIMIT = 10;

/**
 * A person who may log in.
 */
#[Entity(table: 'users')]
final class User extends Model implements Jsonable
{
    use Notifies;

    public const ACTIVE = 'active';
    private ?string $name = null;

    public function __construct(private readonly int $age) {}

    // Whether it may.
    public function may(Action $what): ?Reason
    {
        $this->check($what);
        Disk::open('x');
        return new Reason(sprintf('%s', $what?->label()));
    }

    protected static function check(Action $what): void {}
}

interface Jsonable { public function toJson(): string; }
trait Notifies { function notify() {} }
enum Suit: string { case Hearts = 'h'; }

function user_of(int $id): User { return User::find($id); }
