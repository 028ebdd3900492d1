// Compiles the type tests against the built package with supported compilers and every dialect of decorators.
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))

/**
 * The newest compiles all programs. `THOROUGH` adds the other supported ones, which take ten times as long: both compile what all
 * users write, and one of them each what differs little between compilers.
 */
const COMPILERS = [
  ...(process.env.THOROUGH
    ? [
        ['TypeScript 5.9', 'typescript-5/lib/tsc.js', (name) => name !== LEGACY],
        [
          'TypeScript 6',
          'typescript-6/lib/tsc.js',
          (name) => name !== WITH_METADATA && !name.startsWith(FIELDS),
        ],
      ]
    : []),
  ['TypeScript 7', 'typescript/bin/tsc', () => true],
]

const LEGACY = 'experimentalDecorators'
const WITH_METADATA = `${LEGACY} + emitDecoratorMetadata`
const FIELDS = 'fields declared in '

const DIALECTS = [
  ['standard decorators', ['-p', join(here, 'tsconfig.json')]],
  [LEGACY, ['-p', join(here, 'tsconfig.legacy.json')]],
  [WITH_METADATA, ['-p', join(here, 'tsconfig.legacy.json'), '--emitDecoratorMetadata']],
  // Third parties' declarations are skipped above (arktype's alone take ten times the rest); ours are checked here.
  ['our declarations without skipLibCheck', ['-p', join(here, 'tsconfig.declarations.json')]],
  // Each changes a type for its whole program, so each is a program of its own.
  ...['passport', 'express', 'untyped', 'merged', 'pino'].map((name) => [
    `${FIELDS}augmented/${name}`,
    ['-p', join(here, 'augmented', name)],
  ]),
]

/** Resolves with the compiler's complaints; empty when it has none. */
function compile(compiler, args) {
  const command = [join(root, 'node_modules', compiler), ...args, '--pretty', 'false']
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: root, maxBuffer: 64 << 20 }, (error, out, err) => {
      resolve(error === null ? '' : `${out}${err}` || String(error))
    })
  })
}

const queue = COMPILERS.flatMap(([compiler, file, compiles]) =>
  DIALECTS.filter(([dialect]) => compiles(dialect)).map(([dialect, args]) => ({
    name: `${compiler}, ${dialect}`,
    file,
    args,
  })),
)

async function work() {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    const started = performance.now()
    const complaints = await compile(job.file, job.args)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${complaints === '' ? 'ok  ' : 'FAIL'} ${job.name} (${seconds} s)`)
    if (complaints === '') continue
    console.log(complaints)
    process.exitCode = 1
  }
}

await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
