// node scripts/build.mjs [folder]: builds the published package, in `dist` or another folder.
//
// A process loads every file when it starts, and two hundred small modules took as long as Express with all of its
// packages. Therefore, each door (public entry point) is one file, and the code that several doors share is in
// `chunks/`, where each class exists only once. The types are built in the same way: one file for each door, and
// `shared.d.ts` for the declarations that doors share. The JavaScript has no comments, because the docstrings are in
// the types.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from '@swc/core'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The entry modules of child processes. */
const CHILDREN = [
  'cli/load/child',
  'cli/dev/child/preload',
  'cli/start/preload',
  'integrations/postgres/keeper/main',
]

/** The entries that run without an application. They do not load code that only applications need. */
const APART = [...CHILDREN, 'cli/main', 'integrations/vite/index']

/** The folder of the dashboard page, which `blazon dev` shows in a browser. */
const PAGE = 'cli/dev/dashboard/page'

/**
 * The CommonJS packages that every application loads. For an `import`, Node 20 and 22 read the imported file of such a
 * package a second time to find its exports, which took a fifth of the startup time. Therefore, a small file of this
 * package is imported instead.
 */
const COMMONJS = [
  'express/lib/application.js',
  'express/lib/request.js',
  'express/lib/response.js',
  'find-my-way',
  'secure-json-parse',
]
const SHIM = 'commonjs.cjs'

/**
 * The modules that load packages later and synchronously. In the shim, their `require` calls are literal, so that an
 * application's bundler finds the packages.
 */
const LATE = {
  'require-ajv': {
    name: 'requireAjv',
    loads: `[require('ajv/dist/2020.js'), require('ajv-formats')]`,
  },
  'require-express': { name: 'requireExpress', loads: `require('express')` },
}

/**
 * Whether a module is one of Node's own. An `import` reads all exports of a module, and Node creates some of them only
 * when they are read: `WebSocket` in node:http, which loads an HTTP client, and the threads that node:util needs.
 * Creating these exports took an eighth of the startup time.
 */
const isBuiltin = (id) => id.startsWith('node:')

const LOOKS_BESIDE = /new URL\([^)]*import\.meta\.url\)/

/** The compiler options for code without declarations. */
const CODE = ['--declaration', 'false', '--isolatedDeclarations', 'false', '--removeComments']

/** Compiles and bundles the sources, and writes the package to `out`. */
async function build(out) {
  const compiled = mkdtempSync(join(tmpdir(), 'blazon-build-'))
  try {
    compile(compiled, ...CODE)
    compile(compiled, '--emitDeclarationOnly')
    compilePage(compiled)
    rmSync(out, { recursive: true, force: true })
    await bundle(compiled, out)
    await bundlePage(compiled, out)
    await bundleTypes(compiled, out)
    for (const door of doors()) writeCommonJs(join(out, door))
    openToEverybody(out)
  } finally {
    rmSync(compiled, { recursive: true, force: true })
  }
}

/**
 * Runs the compiler without checking types, which would take twice as long. `npm run typecheck:src` and `prepack` check
 * the types.
 */
function compile(outDir, ...options) {
  const config = join(root, 'tsconfig.build.json')
  runCompiler('-p', config, '--outDir', outDir, '--noCheck', ...options)
}

/** Compiles the dashboard page, which has its own configuration because it runs in browsers. */
function compilePage(outDir) {
  runCompiler('-p', join(root, 'src', PAGE), '--outDir', outDir, '--noCheck', ...CODE)
}

function runCompiler(...options) {
  const args = [join(root, 'node_modules/typescript/bin/tsc'), ...options]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`The compiler ended with status ${status}.`)
}

async function bundle(compiled, out) {
  const input = Object.fromEntries(entries().map((name) => [name, join(compiled, `${name}.js`)]))
  const plugins = [
    passesThroughDoor(compiled),
    loadsCheaply(compiled),
    keepsPlaces(compiled),
    shortensLocals(),
    indentsLess(),
    importsFromSmallFiles(),
    continuesAsLoaded(),
  ]
  const built = await rollup({ input, plugins, treeshake: false, onwarn: refuse })
  await built.write({
    dir: out,
    chunkFileNames: 'chunks/[name].js',
    manualChunks: joinedChunks(compiled),
    onlyExplicitManualChunks: true,
    hoistTransitiveImports: false,
    minifyInternalExports: false,
  })
  await built.close()
}

/**
 * Puts the modules that every application loads into a few files, because loading a file takes a process as long as 10
 * kB of code. The modules that the commands load are in separate files, and the rest is in `app`. A file for the
 * integrations took 2 % of the instructions of a start, because V8 searches a list of all imported names for each name
 * in a function. Each file imports only the files before it.
 */
function joinedChunks(compiled) {
  const loaded = (entries, { late, getModuleInfo }) => {
    const found = new Set(entries.map((name) => join(compiled, `${name}.js`)))
    for (const each of found) {
      const { importedIds, dynamicallyImportedIds } = getModuleInfo(each)
      for (const next of importedIds) found.add(next)
      if (late) for (const next of dynamicallyImportedIds) found.add(next)
    }
    return found
  }
  const nameChunks = (getModuleInfo) => {
    const files = [
      ['ground', loaded(APART, { late: false, getModuleInfo })],
      ['command', loaded(APART, { late: true, getModuleInfo })],
    ]
    const fileOf = (id) => files.find(([, ids]) => ids.has(id))?.[0] ?? 'app'
    const all = loaded(['index'], { late: false, getModuleInfo })
    return new Map([...all].map((id) => [id, fileOf(id)]))
  }
  let names
  return (id, { getModuleInfo }) => {
    names ??= nameChunks(getModuleInfo)
    return names.get(id)
  }
}

/** Bundles the dashboard page: one script, one style sheet and one document. */
async function bundlePage(compiled, out) {
  const built = await rollup({
    input: join(compiled, PAGE, 'page.js'),
    plugins: [shortensLocals(), indentsLess()],
    onwarn: refuse,
  })
  await built.write({ file: join(out, PAGE, 'page.js') })
  await built.close()
  for (const name of ['page.html', 'page.css']) {
    copyFileSync(join(root, 'src', PAGE, name), join(out, PAGE, name))
  }
}

/**
 * Bundles the declarations. A declaration that several doors use is written only once, in `shared.d.ts`, because
 * TypeScript treats two declarations of a class with private fields as different types.
 */
async function bundleTypes(compiled, out) {
  const input = Object.fromEntries(doors().map((name) => [name, join(compiled, `${name}.d.ts`)]))
  const isOfOneDoor = (id) => /^(testing|integrations)[\\/]/.test(relative(compiled, id))
  const built = await rollup({
    input,
    plugins: [dts({ tsconfig: join(root, 'tsconfig.build.json') }), indentsLess()],
    external: (id) => !isAbsolute(id) && !id.startsWith('.'),
    onwarn: (warning) => isExpected(warning) || refuse(warning),
  })
  await built.write({
    dir: out,
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name].d.ts',
    hoistTransitiveImports: false,
    manualChunks: (id) => (isOfOneDoor(id) || basename(id) === 'index.d.ts' ? null : 'shared'),
    minifyInternalExports: false,
  })
  await built.close()
}

/** Some types, such as the types of decorators, are intentionally not exported by any door. */
function isExpected({ message }) {
  return message.includes('still references private shared type exports')
}

/**
 * Writes the files for `require`, which load the same module as `import`. Under `module: node16`, TypeScript compiles a
 * CommonJS file against `.d.cts`, which re-exports the declarations of the `.d.ts`.
 */
function writeCommonJs(door) {
  const module = `./${basename(door)}.js`
  writeFileSync(`${door}.cjs`, `module.exports = require('${module}')\n`)
  writeFileSync(`${door}.d.cts`, `// @ts-ignore\nexport * from '${module}'\n`)
}

/**
 * Makes the package readable for all users. A build can run under a `umask` that hides new files from other users of
 * the machine.
 */
function openToEverybody(folder) {
  const commands = Object.values(manifest.bin).map((file) => join(folder, `${nameOf(file)}.js`))
  chmodSync(folder, 0o755)
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name)
    const isRun = commands.includes(path) || statSync(path).isDirectory()
    chmodSync(path, isRun ? 0o755 : 0o644)
  }
}

function refuse({ message }) {
  throw new Error(message)
}

/** Returns the doors: the modules that the manifest exports. */
function doors() {
  return Object.values(manifest.exports)
    .flatMap((door) => door.import?.default ?? [])
    .map(nameOf)
}

/** Returns the doors, the command, and the entry modules of child processes. */
function entries() {
  return [...doors(), ...Object.values(manifest.bin).map(nameOf), ...CHILDREN]
}

function nameOf(file) {
  return /^(?:\.\/)?dist\/(.*)\.js$/.exec(file)[1]
}

/**
 * Integrations import from the package's own doors, as third-party plugins do. This plugin replaces these imports with
 * imports of the files that define the names. Otherwise, `blazon/vite` would load Express.
 */
function passesThroughDoor(compiled) {
  // A list is empty if it contained only types, which the compiler removed.
  const listed = (names) => names.split(',').flatMap((name) => name.trim() || [])
  const places = new Map()
  for (const file of ['index.js', 'plugin/index.js']) {
    const door = readFileSync(join(compiled, file), 'utf8')
    for (const [, names, place] of door.matchAll(/^export \{([^}]*)\} from '\.{1,2}\/(.*)';$/gm)) {
      for (const name of listed(names)) places.set(name, place)
    }
  }
  const importOf = (name, up) => {
    const place = places.get(name)
    if (place === undefined) throw new Error(`No door exports ${name}.`)
    return `import { ${name} } from '${up}${place}';`
  }
  const through = /^import \{([^}]*)\} from '((?:\.\.\/)+)(?:plugin\/)?index\.js';$/gm
  return {
    name: 'passes-through-door',
    transform(code, id) {
      if (!relative(compiled, id).startsWith('integrations')) return null
      const direct = code.replace(through, (_, names, up) =>
        listed(names)
          .map((name) => importOf(name, up))
          .join(' '),
      )
      return { code: direct }
    },
  }
}

/**
 * Replaces the imports of {@link COMMONJS} packages and Node's own modules ({@link isBuiltin}). A name is looked up
 * when it is used. Each importer gets a builtin module itself, because a file that several chunks share would take
 * longer to load.
 */
function loadsCheaply(compiled) {
  const variable = (name) => name.replace(/\W(\w)/g, (_, letter) => letter.toUpperCase())
  const lines = [
    // For `exports.a = require('b')`, webpack exports a namespace with the getters of `b` instead of `b` itself.
    'const itself = (part) => part\n',
    ...COMMONJS.map((name) => `exports.${variable(name)} = itself(require('${name}'))\n`),
    ...Object.values(LATE).map(({ name, loads }) => `exports.${name} = () => ${loads}\n`),
  ]
  const missing = new Set(Object.keys(LATE))
  return {
    name: 'loads-cheaply',
    resolveId(id, importer) {
      const late = Object.keys(LATE).find((name) => id.endsWith(`/${name}.js`))
      if (late !== undefined) {
        missing.delete(late)
        return `\0${late}`
      }
      if (id === SHIM) return { id: join(compiled, SHIM), external: 'relative' }
      if (isBuiltin(id)) return `\0${relative(compiled, importer)}?/${id}`
      if (COMMONJS.includes(id)) return `\0${id}`
      return isAbsolute(id) || id.startsWith('.') ? null : { id, external: true }
    },
    load(id) {
      if (!id.startsWith('\0')) return null
      const name = id.slice(1).split('?/').at(-1)
      if (Object.hasOwn(LATE, name)) return `export { ${LATE[name].name} } from '${SHIM}'`
      const code = isBuiltin(name)
        ? `export default process.getBuiltinModule('${name}')`
        : `export { ${variable(name)} as default } from '${SHIM}'`
      return { code, syntheticNamedExports: true }
    },
    // If such a module were missing, the package would still load, but application bundles would lack the packages.
    buildEnd(error) {
      if (error === undefined && missing.size > 0)
        throw new Error(`No module ${[...missing].join(', ')} was built.`)
    },
    buildStart() {
      this.emitFile({ type: 'asset', fileName: SHIM, source: lines.join('') })
    },
  }
}

/**
 * Keeps the original folder of a module that looks for files in its own folder. A module that looks for packages does
 * not need this folder: in an application's bundle, it would be outside the application.
 */
function keepsPlaces(compiled) {
  return {
    name: 'keeps-places',
    resolveImportMeta(property, { chunkId, moduleId }) {
      if (property !== 'url' || !LOOKS_BESIDE.test(this.getModuleInfo(moduleId).code)) return null
      const place = relative(dirname(chunkId), relative(compiled, moduleId))
      return `new URL('${place}', import.meta.url).href`
    },
  }
}

/** In bytes. */
const LARGE = 50_000

/**
 * Moves the calls of `import()` out of each large file into a small file beside it. tsx rewrites every file that has such a call, and
 * makes a source map for it: a start under tsx took 1.8 times the processor time.
 */
function importsFromSmallFiles() {
  return {
    name: 'imports-from-small-files',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || file.code.length < LARGE) continue
        const names = new Map()
        const code = file.code.replace(/\bimport\((['"][^'"]+['"])\)/g, (call) => {
          if (!names.has(call)) names.set(call, `import${names.size + 1}`)
          return `${names.get(call)}()`
        })
        if (names.size === 0) continue
        const fileName = file.fileName.replace(/\.js$/, '-imports.js')
        const lines = [...names].map(([call, name]) => `export const ${name} = () => ${call}\n`)
        const source = continuingAsLoaded(lines.join(''), fileName)
        this.emitFile({ type: 'asset', fileName, source })
        const list = [...names.values()].join(', ')
        file.code = `import { ${list} } from './${basename(fileName)}'\n${code}`
      }
    },
  }
}

/** In other files, imports stay where they are. */
function continuesAsLoaded() {
  return {
    name: 'continues-as-loaded',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = continuingAsLoaded(file.code, file.fileName)
      }
    },
  }
}

/**
 * In CommonJS projects, tsx converts every file that it loads to CommonJS. A later `import()` would load the same files
 * again as ES modules, with different classes and tokens. Therefore, a file that was converted to CommonJS loads
 * further files with `require`.
 */
function continuingAsLoaded(code, fileName) {
  const imports = /\bimport\((['"]\.[^'"]+['"])\)/g
  const continued = code.replace(imports, '(loadAsCommonJs ? loadAsCommonJs($1) : $&)')
  if (continued === code) return code
  const place = `dist/${fileName}`.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]')
  // In a bundle, `module` is the bundle, whose file name differs from the package's files.
  const own = `const loadAsCommonJs = typeof module === 'object' && /${place}$/.test(module.filename) && (async (name) => module.require(name));\n`
  return continued.replace(/^(#!.*\n)?/, (line) => line + own)
}

/** The names that are not shortened. */
const KEPT = {
  toplevel: false,
  keep_classnames: true,
  keep_fnames: true,
  keep_private_props: true,
}

/**
 * Shortens the names of parameters and local variables, which saves 80 kB of the packed package and a fifth of the code
 * that is read at startup. Each statement stays on its line, and classes and functions keep their names, so that stack
 * traces remain readable.
 */
function shortensLocals() {
  const options = {
    swcrc: false,
    isModule: true,
    jsc: {
      target: 'esnext',
      parser: { syntax: 'ecmascript' },
      // If a file contains any other character, V8 stores it with two bytes for each character.
      output: { charset: 'ascii' },
      minify: {
        compress: false,
        mangle: KEPT,
      },
    },
  }
  return {
    name: 'shortens-locals',
    renderChunk: (code) => ({ code: transformSync(code, options).code, map: null }),
  }
}

/** Removes the indentation of code, and shortens the indentation of types, which saves 20 kB of the packed package. */
function indentsLess() {
  const shorten = (code, isTypes) =>
    isTypes
      ? code.replace(/^ {4,}/gm, ({ length }) => ' '.repeat((length >> 2) + (length % 4)))
      : code.replace(/^ +/gm, '')
  return {
    name: 'indents-less',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue
        // The spaces in template literals with several lines are kept.
        const isTypes = file.fileName.endsWith('.d.ts')
        const texts = isTypes ? [] : textsIn(this.parse(file.code)).sort(([a], [b]) => a - b)
        let [code, end] = ['', 0]
        for (const [from, to] of texts) {
          code += shorten(file.code.slice(end, from), isTypes) + file.code.slice(from, to)
          end = to
        }
        file.code = code + shorten(file.code.slice(end), isTypes)
      }
    },
  }
}

/** Returns the positions of the strings in template literals. */
function textsIn(node) {
  if (node === null || typeof node !== 'object') return []
  if (node.type === 'TemplateElement') return [[node.start, node.end]]
  return Object.values(node).flatMap(textsIn)
}

await build(resolve(process.argv[2] ?? join(root, 'dist')))
