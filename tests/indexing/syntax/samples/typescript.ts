import type { A } from './a';
import x = require("legacy");

/** Sells. */
export abstract class Shop<T> extends Base<T> implements Open, ns.Close {
  private readonly price: number = 1;
  constructor(private clock: Clock, public name: string) { super(); }
  @log({ level: 1 })
  public sell(thing: Thing): Promise<Receipt> { return pay<Thing>(thing); }
  protected abstract close(): void;
}
export interface Open extends Door { hours: Hours; knock(loud?: boolean): void; }
export type Id = string | Brand<number>;
export enum Color { Red, Green = 'g' }
namespace Inner { export function help() {} export const deep = 1; }
declare module "other" { export function far(): void; }
declare const VERSION: string;
function overload(a: string): void;
function overload(a: any) {}
const local = <T,>(x: T): x is T => true;
