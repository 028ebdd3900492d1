// node scripts/run.mjs [build] [<folder> …]: prepares everything that a script in package.json needs.
//
// It installs the dependencies of this repository, then the dependencies of the given folders, which are separate
// packages that only some scripts need. `build` writes `dist/`. Anything that is already up to date is not changed.
// `example` alone installs a quarter of the packages in a fresh clone, so that `npm start` responds soon. In a folder
// whose package depends on this package (`file:..`), the package is installed as npm would publish it, and installed
// again after each build.
//
// The scripts start the following program with `exec`. npm sends a signal to its shell, and a shell that waits for a
// program ends without passing the signal on. With `exec`, the program replaces the shell and receives the signal
// itself.
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

/** The packages that the orders example needs, in addition to the dependencies of this package. */
const OF_EXAMPLE = ['@electric-sql/pglite', '@fastify/busboy', 'jose', 'pg', 'redis', 'tsx', 'zod']

// `npm ci` is not used, because it refuses a lock file that lacks the optional packages for other platforms.
const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix']

/**
 * Runs a program until it ends. If it fails, this process also fails. The program's output goes to stderr, because a
 * script can print a result to stdout.
 */
function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['inherit', 2, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

/** Installs the dependencies of a folder's package, unless they are already installed. */
function install(folder) {
  const stamp = join(root, folder, 'node_modules', '.installed')
  const manifests = [join(folder, 'package.json'), join(folder, 'package-lock.json')]
  const own = ownPackageIn(folder)
  if (own !== null) build()
  const wanted = hashOf(own === null ? manifests : [...manifests, STAMP])
  const present = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  if (wanted === present) return
  rmSync(stamp, { force: true })
  // npm would keep the package from an earlier build, because it has the same version.
  if (own !== null) rmSync(own, { recursive: true, force: true })
  console.error(`Installing the dependencies of ${folder} …`)
  // Outside the root, install scripts only send telemetry, or download files that npm has already downloaded.
  const scripts = folder === '.' ? [] : ['--ignore-scripts']
  run('npm', [...INSTALL, folder, ...scripts])
  writeFileSync(stamp, wanted)
}

/**
 * Installs the packages that the example needs, in the versions in the lock file, unless any packages are already
 * installed. npm installs all packages in a manifest, so the example temporarily has its own manifest. A later script
 * installs the rest.
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

/**
 * Returns the path at which a folder's package has this package installed; `null` if it does not depend on this
 * package.
 */
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
