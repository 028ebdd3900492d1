// Runs a task of this repository, after installing and building what the task needs and the machine lacks.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** The other readers of OpenAPI documents: a package of their own, which only their tests install. */
const TOOLS = 'test/openapi-tools'
/** A project for each test runner, in a package of their own. */
const RUNNERS = 'test/runners'
/** The recipe for Prisma, in a package of its own. */
const PRISMA = 'test/prisma'
/** Changes the source and looks whether a test notices, in a package of its own. */
const MUTANTS = 'test/mutants'
/** What Blazon is measured against, in a package of its own. */
const PEERS = 'bench/peers'
/** Packages whose dependencies have install scripts that only report home, or fetch what npm has fetched. */
const SCRIPTLESS = [TOOLS, RUNNERS, PRISMA, MUTANTS, PEERS]

/** A file of an installed package, run by this very Node: `.bin` names clash between TypeScript versions. */
const bin = (path) => ['node', join(root, 'node_modules', path)]
const tsc = bin('typescript/bin/tsc')
const biome = bin('@biomejs/biome/bin/biome')
const vitest = bin('vitest/vitest.mjs')

/** Writes the document of an example beside it; `--check` only compares. */
function exportDocument(entry, ...options) {
  const out = join(dirname(entry), 'openapi.json')
  return [
    'node',
    'dist/cli/main.js',
    'openapi',
    'export',
    '--entry',
    entry,
    '--out',
    out,
    ...options,
  ]
}

const TASKS = {
  start: [build, ['node', '--import', 'tsx', 'examples/orders/main.ts']],
  build: [build],
  format: [[...biome, 'check', '--write', '.']],
  check: [
    [...biome, 'check', '.'],
    [...tsc, '--noEmit', '-p', '.'],
    [...tsc, '-p', 'test/tsconfig.json'],
    [...tsc, '-p', 'test/tsconfig.legacy.json'],
    // The examples read the types that users get: those of the build.
    build,
    [...tsc, '-p', 'examples/hello'],
    [...tsc, '-p', 'examples/orders'],
    // A committed document that is not what its example says is a lie.
    exportDocument('examples/orders/app.ts', '--check'),
    exportDocument('examples/hello/app.ts', '--check'),
    // So is a page of results that says other numbers than were measured.
    ['node', 'bench/run.mjs', '--check'],
  ],
  types: [build, ['node', 'test/types/run.mjs']],
  documents: [
    build,
    exportDocument('examples/orders/app.ts'),
    exportDocument('examples/hello/app.ts'),
  ],
  unit: [[...vitest, 'run']],
  bench: [build, () => install(PEERS), ['node', 'bench/run.mjs']],
  'bench:boot': [build, () => install(PEERS), ['node', 'bench/boot.mjs']],
  'bench:startup': [build, () => install(PEERS), ['node', 'bench/startup.mjs']],
  'bench:serializer': [build, () => install(PEERS), ['node', 'bench/serializer.mjs']],
  'bench:features': [build, ['node', 'bench/features.mjs']],
  'bench:postgres': [build, ['node', 'bench/postgres.mjs']],
  'bench:scale': [build, ['node', 'bench/scale.mjs']],
  soak: [build, ['node', '--expose-gc', 'bench/soak.mjs']],
  'bench:hostile': [build, ['node', '--import', 'tsx', 'bench/hostile.ts']],
  'bench:harness': [build, ['node', 'bench/harness.mjs']],
  'test:hostile': [[...vitest, 'run', '--root', '.', '--config', 'test/hostile/vitest.config.ts']],
  'test:openapi': [
    () => install(TOOLS),
    [...tsc, '-p', TOOLS],
    [...vitest, 'run', '--config', `${TOOLS}/vitest.config.ts`],
  ],
  'test:prisma': [
    () => install(PRISMA),
    ['node', '--import', 'tsx', `${PRISMA}/generate-client.ts`],
    [...tsc, '-p', PRISMA],
    [...vitest, 'run', '--config', `${PRISMA}/vitest.config.ts`],
  ],
  // The command-line tests run what is built.
  mutants: [build, () => install(MUTANTS), ['node', `${MUTANTS}/run.mjs`]],
  'test:runners': [
    () => install(RUNNERS),
    [...vitest, 'run', '--config', `${RUNNERS}/vitest.config.ts`],
  ],
}
TASKS.test = [...TASKS.check, ...TASKS.types, ...TASKS.unit]

/**
 * Runs a program to its end; its failure is ours. A signal is passed on, so that the program can end as it
 * likes; so is the death of our parent, because npm hands a signal to its shell and the shell dies without handing it on.
 */
async function run(command, args) {
  const program = command === 'node' ? process.execPath : command
  const child = spawn(program, args, { cwd: root, stdio: 'inherit' })
  const passOn = (signal) => child.kill(signal)
  process.on('SIGINT', passOn).on('SIGTERM', passOn)
  const parent = process.ppid
  const watch = setInterval(() => process.ppid === parent || passOn('SIGTERM'), 250)
  const [status] = await once(child, 'exit')
  clearInterval(watch)
  process.off('SIGINT', passOn).off('SIGTERM', passOn)
  if (status !== 0) process.exit(status ?? 1)
}

/** Installs what a folder's package asks for, unless that is there already. */
async function install(folder) {
  const stamp = join(root, folder, 'node_modules', '.installed')
  const wanted = hash([join(folder, 'package.json'), join(folder, 'package-lock.json')])
  const present = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  if (wanted === present) return
  console.error(`Installing the dependencies of ${folder} …`)
  // Not `npm ci`: it refuses a lock file that lacks optional packages of platforms other than its maker's.
  const quietly = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const scripts = SCRIPTLESS.includes(folder) ? ['--ignore-scripts'] : []
  await run('npm', ['install', '--prefix', folder, ...quietly, ...scripts])
  writeFileSync(stamp, wanted)
}

async function build() {
  const stamp = join(root, 'node_modules', '.built')
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs']
  const wanted = hash([...settings, ...sources('src')])
  const isBuilt = existsSync(join(root, 'dist')) && existsSync(stamp)
  if (isBuilt && readFileSync(stamp, 'utf8') === wanted) return
  await run('node', ['scripts/build.mjs'])
  writeFileSync(stamp, wanted)
}

function sources(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => statSync(join(root, name)).isFile())
    .sort()
}

function hash(files) {
  const digest = createHash('sha256')
  for (const file of files) digest.update(file).update(readFileSync(join(root, file)))
  return digest.digest('hex')
}

const [name = '', ...rest] = process.argv.slice(2)
const steps = TASKS[name]
if (steps === undefined) {
  console.error(`There is no task '${name}'. Tasks: ${Object.keys(TASKS).join(', ')}.`)
  process.exit(2)
}
await install('.')
for (const [index, step] of steps.entries()) {
  if (typeof step === 'function') {
    await step()
    continue
  }
  const isLast = index === steps.length - 1
  await run(step[0], [...step.slice(1), ...(isLast ? rest : [])])
}
