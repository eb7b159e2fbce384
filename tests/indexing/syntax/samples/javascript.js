import http, { get as fetch, put } from './http';
import * as fs from "fs";
const { join } = require('path');
const os = require('os');
export { a, b as c } from './re';

/**
 * Sells things.
 * @returns nothing
 */
export class Shop extends Base {
  static limit = 10;
  #secret = 1;
  constructor(name) { super(name); }
  get open() { return this.clock.ask(); }
  async *items() {}
  #hide() {}
  handler = () => { run(); };
}

// Adds.
export const add = async (a, b) => {
  function inner() {}
  return new Sum(a, b);
}, LIMIT = 10;
let count = 0;
var old = function named() {};
function* walk() { yield <Item name={x}><b/></Item>; }
Shop.prototype.sell = function (thing) {};
Shop.create = () => 1;
module.exports.open = function open() {};
const api = { list() {}, drop: function () {}, 'quoted': () => 1 };
export default walk;
export const { first, second: other } = api;
