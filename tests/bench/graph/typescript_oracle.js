// What TypeScript's own checker says each call of a repository calls, as JSON lines.
// NODE_PATH=<folder>/node_modules node typescript_oracle.js FOLDER; needs `npm install typescript`.
const fs = require('fs');
const path = require('path');
const ts = require('typescript');
const { execFileSync } = require('child_process');

const root = fs.realpathSync(process.argv[2]);
const tracked = execFileSync('git', ['-C', root, 'ls-files', '-z'], { maxBuffer: 1 << 28 })
  .toString().split('\0').filter(Boolean);
const sources = tracked.filter((one) => /\.(m|c)?(j|t)sx?$/.test(one) && !/\.d\.ts$/.test(one));
const manifests = tracked.filter((one) => path.basename(one) === 'package.json');
const paths = {};
for (const one of manifests) {
  try {
    const { name } = JSON.parse(fs.readFileSync(path.join(root, one)));
    const folder = path.dirname(one);
    if (name) {
      paths[name] = [`${folder}/src/index.ts`, `${folder}/index.js`, `${folder}/src`];
      paths[`${name}/*`] = [`${folder}/src/*`, `${folder}/*`];
    }
  } catch { /* not a manifest */ }
}
const program = ts.createProgram(sources.map((one) => path.join(root, one)), {
  allowJs: true, checkJs: false, noEmit: true, target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.Preserve, baseUrl: root, paths, strict: false, types: [], skipLibCheck: true,
});
const checker = program.getTypeChecker();
const known = new Set(tracked);
const configured = new Map(); // folder -> options of its files
for (const file of program.getSourceFiles()) {
  const name = path.relative(root, file.fileName);
  if (known.has(name)) {
    visit(file, file, name);
    for (const word of file.imports ?? []) imported(word, file, name);
  }
}

// Of imports the nearest tsconfig.json decides, on top of what all packages of the repository are.
function optionsOf(folder) {
  if (!configured.has(folder)) {
    const place = ts.findConfigFile(folder, ts.sys.fileExists);
    const own = place && place.startsWith(root) && ts.parseJsonConfigFileContent(
      ts.readConfigFile(place, ts.sys.readFile).config, { ...ts.sys, readDirectory: () => [] },
      path.dirname(place)).options;
    const base = program.getCompilerOptions();
    const near = Object.entries(own?.paths ?? {}).map(([name, ways]) =>
      [name, ways.map((way) => path.resolve(own.baseUrl ?? own.pathsBasePath, way))]);
    configured.set(folder, { ...base, paths: { ...base.paths, ...Object.fromEntries(near) } });
  }
  return configured.get(folder);
}

function imported(word, file, name) {
  const { resolvedModule } = ts.resolveModuleName(
    word.text, file.fileName, optionsOf(path.dirname(file.fileName)), ts.sys);
  const beside = path.join(path.dirname(name), word.text); // a style sheet or the like
  const place = resolvedModule ? path.relative(root, resolvedModule.resolvedFileName)
    : word.text.startsWith('.') && known.has(beside) && beside;
  if (place && /\.d\.ts$/.test(place)) return; // declarations beside the source
  // The graph has the line of the statement, which may begin before the path.
  const { line } = file.getLineAndCharacterOfPosition(word.parent.getStart(file));
  const files = place && known.has(place) ? [place] : [];
  console.log(JSON.stringify({ path: name, line: line + 1, import: files }));
}

function visit(node, file, name) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) told(node, file, name);
  ts.forEachChild(node, (one) => visit(one, file, name));
}

function told(node, file, name) {
  const on = ts.isPropertyAccessExpression(node.expression);
  const word = on ? node.expression.name : node.expression;
  if (!ts.isIdentifier(word) || word.text === 'require') return;
  let symbol = checker.getSymbolAtLocation(word);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const { line } = file.getLineAndCharacterOfPosition(word.getStart(file));
  // What a module exports as a whole (`module.exports = ...`) has no name to compare.
  const whole = symbol?.name === 'export=';
  const targets = (whole ? [] : symbol?.declarations ?? []).map((one) => {
    const place = path.relative(root, one.getSourceFile().fileName);
    const value = ts.isVariableDeclaration(one) && one.initializer;
    const callable = ts.isFunctionLike(one) || ts.isClassLike(one) || ts.isBinaryExpression(one)
      || (value && (ts.isFunctionLike(value) || ts.isClassLike(value)))
      || (ts.isPropertyAssignment(one) && ts.isFunctionLike(one.initializer))
      || (ts.isPropertyDeclaration(one) && one.initializer && ts.isFunctionLike(one.initializer))
      || ts.isPropertyAccessExpression(one);
    const said = one.name?.getText?.() ?? symbol.name;
    return known.has(place) && callable ? [place, said] : ['', said];
  });
  const method = on && !moduleOf(node.expression.expression);
  console.log(JSON.stringify({ path: name, line: line + 1, name: word.text, method, targets }));
}

function moduleOf(expression) {
  if (!ts.isIdentifier(expression)) return false;
  const symbol = checker.getSymbolAtLocation(expression);
  const first = symbol?.declarations?.[0];
  return Boolean(first && (ts.isNamespaceImport(first) || ts.isImportClause(first)));
}
