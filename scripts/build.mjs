// node scripts/build.mjs [folder]: the package as it is published, in `dist` or another folder.
//
// A process that starts pays for every file it loads: two hundred small modules of ours took as long as Express with all its
// packages. So each door is one file, and what doors share stands in `chunks/`, where every class is there once. Types stay as
// they are written; stack traces lead to `src/` under `node --enable-source-maps`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Modules that processes of their own begin with. */
const CHILDREN = ['cli/load/child', 'cli/client/generator-child']

/**
 * Packages in CommonJS that every application loads. Node 20 and 22 read such a package a second time, in JavaScript, to learn what
 * names an `import` may ask for, which took a fifth of a start; they read only the file that is imported, so that is one of ours.
 */
const COMMONJS = ['express', 'find-my-way', 'secure-json-parse']
const SHIM = 'commonjs.cjs'

/**
 * Modules of Node's. An `import` reads everything that one exports, and Node makes some of that only when it is read: WebSocket of
 * node:http, with which it loads an HTTP client, and threads behind node:util. That took an eighth of a start.
 */
const isBuiltin = (id) => id.startsWith('node:')

const LOOKS_BESIDE = /new URL\([^)]*import\.meta\.url\)/

/** Compiles the sources, and puts the result together in `out`. */
async function build(out) {
  const compiled = mkdtempSync(join(tmpdir(), 'blazon-build-'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', compiled]
    const { status } = spawnSync(process.execPath, [tsc, ...options], { stdio: 'inherit' })
    process.exitCode = status ?? 1
    if (status !== 0) return
    rmSync(out, { recursive: true, force: true })
    cpSync(compiled, out, { recursive: true, filter: (path) => !/\.js(\.map)?$/.test(path) })
    await bundle(compiled, out)
  } finally {
    rmSync(compiled, { recursive: true, force: true })
  }
}

async function bundle(compiled, out) {
  const input = Object.fromEntries(entries().map((name) => [name, join(compiled, `${name}.js`)]))
  const plugins = [withSourceMaps(), loadsCheaply(compiled), keepsPlaces(compiled)]
  const built = await rollup({ input, plugins, treeshake: false, onwarn: refuse })
  await built.write({
    dir: out,
    sourcemap: true,
    chunkFileNames: 'chunks/[name].js',
    hoistTransitiveImports: false,
    minifyInternalExports: false,
  })
  await built.close()
}

function refuse({ message }) {
  throw new Error(message)
}

/** What the manifest promises, and the files of child processes. */
function entries() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const doors = Object.values(exports).flatMap((door) => door.default ?? [])
  const names = [...doors, ...Object.values(bin)].map(
    (file) => /^\.\/dist\/(.*)\.js$/.exec(file)[1],
  )
  return [...names, ...CHILDREN]
}

/** From the result back to the TypeScript. */
function withSourceMaps() {
  return {
    name: 'source-maps',
    load: (id) => {
      if (id.startsWith('\0')) return null
      return { code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') }
    },
  }
}

/** Puts what {@link COMMONJS} and {@link isBuiltin} say in place of imports; names are looked up where they are used. */
function loadsCheaply(compiled) {
  const variable = (name) => name.replace(/\W(\w)/g, (_, letter) => letter.toUpperCase())
  const lines = COMMONJS.map((name) => `exports.${variable(name)} = require('${name}')\n`)
  return {
    name: 'loads-cheaply',
    resolveId(id) {
      if (id === SHIM) return { id: join(compiled, SHIM), external: 'relative' }
      if (isBuiltin(id) || COMMONJS.includes(id)) return `\0${id}`
      return isAbsolute(id) || id.startsWith('.') ? null : { id, external: true }
    },
    load(id) {
      if (!id.startsWith('\0')) return null
      const name = id.slice(1)
      const code = isBuiltin(name)
        ? `export default process.getBuiltinModule('${name}')`
        : `export { ${variable(name)} as default } from '${SHIM}'`
      return { code, syntheticNamedExports: true }
    },
    buildStart() {
      this.emitFile({ type: 'asset', fileName: SHIM, source: lines.join('') })
    },
  }
}

/**
 * A module that looks for files beside it finds them where it stood. One that looks for packages does not care, and must not be
 * told: in an application's own bundle, such a place would be outside of the application.
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

await build(resolve(process.argv[2] ?? join(root, 'dist')))
