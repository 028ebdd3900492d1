// node scripts/run.mjs [build] [<folder> …]: makes ready what a script of package.json needs.
//
// It installs the dependencies of this repository, then those of the folders that are named: packages of their own, which
// only some scripts need. `build` writes `dist/`. What is there already, and up to date, is left alone.
// `example` alone installs a quarter of the packages in a fresh clone, so that `npm start` responds soon.
// A folder whose package depends on this one (`file:..`) gets what npm would publish, and gets it again after each build.
//
// The scripts begin the program behind it with `exec`. npm hands a signal to its shell, and a shell that waits for a program
// ends without handing the signal on; with `exec`, the program takes the place of the shell and gets the signal itself.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWithStamp, hashOf, hashOfBuild, isBuilt, STAMP } from './build-stamp.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** What the orders example needs beside the dependencies of the package. */
const OF_EXAMPLE = ['@electric-sql/pglite', '@fastify/busboy', 'jose', 'pg', 'redis', 'tsx', 'zod']

// Not `npm ci`: it refuses a lock file without the optional packages of other platforms than that of its writer.
const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix']

/**
 * Runs a program to its end. When the program fails, so does this one. Its output goes to stderr: a script may print a result.
 */
function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['inherit', 2, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

/** Installs the dependencies of a folder's package, unless they are there already. */
function install(folder) {
  const stamp = join(root, folder, 'node_modules', '.installed')
  const manifests = [join(folder, 'package.json'), join(folder, 'package-lock.json')]
  const own = ownPackageIn(folder)
  if (own !== null) build()
  const wanted = hashOf(own === null ? manifests : [...manifests, STAMP])
  const present = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  if (wanted === present) return
  rmSync(stamp, { force: true })
  // npm would keep the package of an earlier build, because it has the same version.
  if (own !== null) rmSync(own, { recursive: true, force: true })
  console.error(`Installing the dependencies of ${folder} …`)
  // Outside of the root, install scripts only report home, or fetch what npm has fetched already.
  const scripts = folder === '.' ? [] : ['--ignore-scripts']
  run('npm', [...INSTALL, folder, ...scripts])
  writeFileSync(stamp, wanted)
}

/**
 * Installs what the example needs, in the versions of the lock file, unless anything is installed. npm installs all packages
 * of a manifest, so the example has a manifest of its own for a moment. A later script installs the rest.
 */
function installExample() {
  const modules = join(root, 'node_modules')
  const stamp = join(modules, '.example-installed')
  const wanted = hashOf(['package.json', 'package-lock.json', 'scripts/run.mjs'])
  if (existsSync(join(modules, '.installed'))) return install('.')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  if (existsSync(modules)) return install('.')
  console.error('Installing the dependencies of the example …')
  const stage = join(root, 'node_modules', '.example')
  mkdirSync(stage, { recursive: true })
  const { name, version, dependencies, devDependencies, overrides } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const few = Object.fromEntries(OF_EXAMPLE.map((each) => [each, devDependencies[each]]))
  const manifest = { name, version, dependencies: { ...dependencies, ...few }, overrides }
  writeFileSync(join(stage, 'package.json'), JSON.stringify(manifest))
  copyFileSync(join(root, 'package-lock.json'), join(stage, 'package-lock.json'))
  run('npm', [...INSTALL, stage])
  for (const each of readdirSync(join(stage, 'node_modules'))) {
    renameSync(join(stage, 'node_modules', each), join(modules, each))
  }
  rmSync(stage, { recursive: true })
  writeFileSync(stamp, wanted)
}

/** Where a folder's package has this package installed; `null` if it does not depend on it. */
function ownPackageIn(folder) {
  const manifest = readFileSync(join(root, folder, 'package.json'), 'utf8')
  const { dependencies = {} } = JSON.parse(manifest)
  const link = Object.entries(dependencies).find(([, range]) => range.startsWith('file:'))
  return link === undefined ? null : join(root, folder, 'node_modules', link[0])
}

function build() {
  const hash = hashOfBuild()
  if (isBuilt(hash)) return
  buildWithStamp(hash, () => run(process.execPath, ['scripts/build.mjs']))
}

const needs = process.argv.slice(2)
const unknown = needs.find(
  (need) => need !== 'build' && need !== 'example' && !existsSync(join(root, need, 'package.json')),
)
if (unknown !== undefined) {
  console.error(
    `There is nothing to make ready for '${unknown}': say 'build', 'example', or a folder with a package.json. Tasks are scripts: npm run.`,
  )
  process.exit(2)
}
if (needs.includes('example')) installExample()
else {
  install('.')
  for (const need of needs) need === 'build' ? build() : install(need)
}
