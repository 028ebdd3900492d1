import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtPackage } from '../cli/built-package.js'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))

const COMPILERS = {
  'TypeScript 5.9': 'typescript-5/lib/tsc.js',
  'TypeScript 6': 'typescript-6/lib/tsc.js',
  'TypeScript 7': 'typescript/bin/tsc',
}

/** The consumer as an ES module, as CommonJS, and as the kind that the option `module` decides. */
const [ESM, COMMONJS, EITHER] = ['consumer.mts', 'consumer.cts', 'consumer.ts']
const AS_NODE = [ESM, COMMONJS]

interface Resolution {
  readonly name: string
  readonly files: readonly string[]
  readonly options: object
  readonly compilers: readonly (keyof typeof COMPILERS)[]
}

// A run of TypeScript 5.9 or 6 takes several seconds, so they try different resolutions.
const RESOLUTIONS: readonly Resolution[] = [
  {
    name: 'node10',
    files: [EITHER],
    options: { module: 'commonjs', moduleResolution: 'node10' },
    // TypeScript 6 accepts it only with `ignoreDeprecations`, and TypeScript 7 does not accept it.
    compilers: ['TypeScript 5.9'],
  },
  {
    name: 'node16',
    files: AS_NODE,
    options: { module: 'node16' },
    compilers: ['TypeScript 6', 'TypeScript 7'],
  },
  {
    name: 'nodenext',
    files: AS_NODE,
    options: { module: 'nodenext' },
    compilers: ['TypeScript 7'],
  },
  {
    name: 'bundler',
    files: [EITHER],
    options: { module: 'preserve', moduleResolution: 'bundler' },
    compilers: ['TypeScript 5.9', 'TypeScript 7'],
  },
]

const CASES = RESOLUTIONS.flatMap(({ compilers, ...resolution }) =>
  compilers.map((compiler) => ({ ...resolution, compiler })),
)

// Inside the repository, so that the compilers find the dependencies of the package.
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'consumer-'))

beforeAll(() => {
  cpSync(builtPackage(), join(folder, 'node_modules/blazon'), { recursive: true })
  const text = readFileSync(join(here, 'consumer.ts'), 'utf8')
  for (const name of [ESM, COMMONJS, EITHER]) writeFileSync(join(folder, name), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The errors of a compiler in the consumer, and in our declarations. */
async function errorsOf(compiler: keyof typeof COMPILERS, config: string): Promise<string> {
  const args = [join(root, 'node_modules', COMPILERS[compiler]), '-p', config, '--pretty', 'false']
  const run = promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 64 << 20 })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  // Errors in declarations of other libraries do not count.
  const isOurs = (line: string) => !/^(\s|(\.\.\/)+node_modules\/)/.test(line)
  return stdout.split('\n').filter(isOurs).join('\n').trim()
}

describe('the types of every entry point', () => {
  it.each(CASES)(
    'resolve with $compiler and the module resolution $name',
    async ({ name, compiler, ...rest }) => {
      const config = join(
        folder,
        `tsconfig.${CASES.findIndex((each) => each.name === name && each.compiler === compiler)}.json`,
      )
      const compilerOptions = {
        ...{ target: 'es2022', lib: ['es2023', 'esnext.disposable'], types: ['node'] },
        ...{ strict: true, noEmit: true, esModuleInterop: true, skipLibCheck: false },
        ...rest.options,
      }
      writeFileSync(config, JSON.stringify({ compilerOptions, files: rest.files }))
      expect(await errorsOf(compiler, config)).toBe('')
    },
  )
})
