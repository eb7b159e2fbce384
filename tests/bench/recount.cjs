// Counts the answers of tests.bench.budget again with the tables that js-tiktoken brings along:
//     node tests/bench/recount.cjs RUN.jsonl
const fs = require("fs");
const { Tiktoken } = require("js-tiktoken/lite");

const names = ["cl100k_base", "o200k_base"];
const encoders = names.map((name) => {
  const ranks = require(`js-tiktoken/ranks/${name}`);
  return new Tiktoken(ranks.default || ranks);
});
const lines = fs.readFileSync(process.argv[2], "utf8").split("\n").filter((line) => line);
const over = names.map(() => 0);
const shares = [];
for (const line of lines) {
  const { budget, told, text } = JSON.parse(line);
  const counts = encoders.map((encoder) => encoder.encode(text, [], []).length);
  counts.forEach((count, at) => (over[at] += count > budget));
  if (told) shares.push(Math.max(...counts) / told);
}
shares.sort((a, b) => a - b);
const median = shares[shares.length >> 1];
console.log(`${lines.length} answers; over the budget: ${names.map((name, at) => `${name} ${over[at]}`).join(", ")}`);
console.log(`the dearer count is ${median.toFixed(2)} of gitmem's at the median, ${shares.at(-1).toFixed(2)} at most`);
