/** Files by path. `null` removes one. */
export type Files = Readonly<Record<string, string | object | null>>

/** A project with one mistake, and the same project without it. */
export interface DoctorCase {
  readonly code: string
  /** What is special about it, where a code has several causes. */
  readonly when?: string
  readonly files: Files
  /** The place of the finding, as `file:line` or `file`. */
  readonly at: string
  /** Words of the documented remedy, which are also those of the change or of the finding. */
  readonly words: string
  /** What the remedy changes. */
  readonly fixed: Files
  /** Whether the application is read, which needs a process. */
  readonly readsApp?: boolean
}

const PACKAGE = { name: 'own', version: '1.0.0', type: 'module' }
const OPTIONS = { target: 'es2022', module: 'nodenext', strict: true, noEmit: true }

/** The files of a project with nothing to find. */
export const FINE: Files = {
  'package.json': PACKAGE,
  'tsconfig.json': { compilerOptions: OPTIONS },
}

const manifest = (more: object) => lines({ ...PACKAGE, ...more })
const scripts = (all: object) => manifest({ scripts: all })
const tsconfig = (more: object) => lines({ compilerOptions: { ...OPTIONS, ...more } })
const lines = (value: object) => JSON.stringify(value, null, 2)
const installed = (name: string, version: string, more: object = {}) => ({
  [`node_modules/${name}/package.json`]: { name, version, main: 'index.js', ...more },
  [`node_modules/${name}/index.js`]: '',
})
const LEGACY = { experimentalDecorators: true }
const swcrc = (jsc: object) =>
  lines({ jsc: { parser: { syntax: 'typescript', decorators: true }, ...jsc } })
const STANDARD_SWC = { transform: { decoratorVersion: '2022-03' } }

const NODE: DoctorCase[] = [
  {
    code: 'E_NODE_VERSION',
    files: { 'package.json': manifest({ engines: { node: '>=99' } }) },
    at: 'package.json:6',
    words: 'correct `engines`',
    fixed: { 'package.json': manifest({ engines: { node: '>=20.19.0' } }) },
  },
  {
    code: 'W_NODE_ENGINES',
    files: { 'package.json': manifest({ engines: { node: '^18.0.0 || >=20.19' } }) },
    at: 'package.json:6',
    words: '>=20.19.0',
    fixed: { 'package.json': manifest({ engines: { node: '>=20.19.0' } }) },
  },
]

const PACKAGES: DoctorCase[] = [
  {
    code: 'E_PACKAGE_TWICE',
    files: {
      'package.json': manifest({ dependencies: { blazon: '1', plugin: '1' } }),
      ...installed('plugin', '1.0.0', { dependencies: { blazon: '0.0.9' } }),
      ...installed('plugin/node_modules/blazon', '0.0.9'),
    },
    at: 'package.json:6',
    words: 'npm dedupe',
    fixed: { 'node_modules/plugin/node_modules/blazon/package.json': null },
  },
  {
    code: 'E_PEER_MISSING',
    when: 'a package is not installed',
    files: { 'src/redis.ts': "import { z } from 'zod'\nimport { redis } from 'blazon/redis'\n" },
    at: 'src/redis.ts:2',
    words: 'run the command in the message',
    fixed: installed('redis', '6.0.0'),
  },
  {
    code: 'E_PEER_MISSING',
    when: 'a package is too old',
    files: {
      ...installed('pg', '8.1.0'),
      'src/stores.ts':
        "import type { Sql } from 'blazon/postgres'\nimport { postgres } from 'blazon/postgres'\n",
    },
    at: 'src/stores.ts:2',
    words: 'run the command in the message',
    fixed: installed('pg', '8.23.0'),
  },
  {
    code: 'W_PEER_OLD',
    files: {
      ...installed('redis', '4.7.0'),
      'package.json': manifest({ dependencies: { redis: '4' } }),
    },
    at: 'package.json:6',
    words: 'install a newer version',
    fixed: installed('redis', '6.1.0'),
  },
]

const TYPESCRIPT: DoctorCase[] = [
  {
    code: 'E_TSCONFIG_INVALID',
    when: 'it is no JSON',
    files: { 'tsconfig.json': '{ "compilerOptions": { ' },
    at: 'tsconfig.json',
    words: 'correct the file',
    fixed: { 'tsconfig.json': tsconfig({}) },
  },
  {
    code: 'E_TSCONFIG_INVALID',
    when: 'it extends what does not exist',
    files: {
      'tsconfig.json':
        '{\n  // Comments and last commas are allowed.\n  "extends": ["./base",],\n}',
    },
    at: 'tsconfig.json:3',
    words: 'correct the file',
    fixed: { 'base.json': tsconfig({}) },
  },
  {
    code: 'E_TSCONFIG_RESOLUTION',
    files: {
      ...installed('typescript', '5.9.3'),
      'tsconfig.json': lines({
        compilerOptions: { target: 'es2022', module: 'esnext', strict: true },
      }),
    },
    at: 'tsconfig.json:4',
    words: '"module": "nodenext"',
    fixed: { 'tsconfig.json': tsconfig({}) },
  },
  {
    code: 'E_TSCONFIG_TARGET',
    files: {
      ...installed('typescript', '5.9.3'),
      'tsconfig.json': lines({ compilerOptions: { module: 'preserve', strict: true } }),
    },
    at: 'tsconfig.json',
    words: '"target": "es2022"',
    fixed: { 'tsconfig.json': tsconfig({}) },
  },
  {
    code: 'W_TSCONFIG_STRICT',
    files: {
      ...installed('typescript', '5.9.3'),
      'tsconfig.json': lines({ compilerOptions: { target: 'es2022', module: 'nodenext' } }),
    },
    at: 'tsconfig.json',
    words: '"strict": true',
    fixed: { 'tsconfig.json': tsconfig({}) },
  },
  {
    code: 'E_DECORATORS_DIALECT',
    files: {
      'src/users.ts':
        "import { Body, Controller, Post } from 'blazon'\n@Controller('users')\nclass Users {\n  @Post() add(@Body(User) user: User) {}\n}",
    },
    at: 'src/users.ts:4',
    words: '"experimentalDecorators": true',
    fixed: { 'tsconfig.json': tsconfig(LEGACY) },
  },
  {
    code: 'E_DECORATORS_DIFFER',
    when: 'another tsconfig.json',
    files: {
      'package.json': scripts({ build: 'tsc -p tsconfig.build.json' }),
      'tsconfig.build.json': tsconfig({ noEmit: false, experimentalDecorators: true }),
    },
    at: 'tsconfig.build.json:7',
    words: 'the same `experimentalDecorators`',
    fixed: { 'tsconfig.build.json': lines({ extends: './tsconfig.json' }) },
  },
  {
    code: 'E_DECORATORS_DIFFER',
    when: '.swcrc without a version',
    files: { '.swcrc': swcrc({}) },
    at: '.swcrc:2',
    words: '"decoratorVersion": "2022-03"',
    fixed: { '.swcrc': swcrc(STANDARD_SWC) },
  },
  {
    code: 'E_DECORATORS_DIFFER',
    when: '.swcrc with the standard',
    files: { 'tsconfig.json': tsconfig(LEGACY), '.swcrc': swcrc(STANDARD_SWC) },
    at: '.swcrc:7',
    words: 'legacyDecorator',
    fixed: { '.swcrc': swcrc({ transform: { legacyDecorator: true } }) },
  },
  {
    code: 'W_FIELDS_DIFFER',
    files: {
      'package.json': scripts({ build: 'npx tsc --project tsconfig.build.json' }),
      'tsconfig.build.json': lines({
        extends: './tsconfig',
        compilerOptions: { target: 'es2021' },
      }),
    },
    at: 'tsconfig.build.json:4',
    words: '"useDefineForClassFields"',
    fixed: {
      'tsconfig.build.json': lines({
        extends: './tsconfig',
        compilerOptions: { target: 'es2021', useDefineForClassFields: true },
      }),
    },
  },
  {
    code: 'W_METADATA_UNUSED',
    when: 'standard decorators',
    files: { 'tsconfig.json': tsconfig({ emitDecoratorMetadata: true }) },
    at: 'tsconfig.json:7',
    words: 'remove it',
    fixed: { 'tsconfig.json': tsconfig({}) },
  },
  {
    code: 'W_METADATA_UNUSED',
    when: 'without reflect-metadata',
    files: { 'tsconfig.json': tsconfig({ ...LEGACY, emitDecoratorMetadata: true }) },
    at: 'tsconfig.json:8',
    words: 'npm install reflect-metadata',
    fixed: installed('reflect-metadata', '0.2.2'),
  },
  {
    code: 'W_METADATA_UNUSED',
    when: 'esbuild alone',
    files: {
      ...installed('reflect-metadata', '0.2.2'),
      'package.json': scripts({ start: 'tsx src/main.ts' }),
      'tsconfig.json': tsconfig({ ...LEGACY, emitDecoratorMetadata: true }),
    },
    at: 'tsconfig.json:8',
    words: 'remove it',
    fixed: { 'tsconfig.json': tsconfig(LEGACY) },
  },
]

const VITE = { ...installed('vite', '8.3.0'), ...installed('vitest', '4.1.0') }
const CONFIG = "import { defineConfig } from 'vitest/config'\n\nexport default defineConfig({})\n"
const WITH_PLUGIN = "import { blazon } from 'blazon/vite'\nexport default { plugins: [blazon()] }\n"

const KEPT: DoctorCase[] = [
  {
    code: 'E_DECORATORS_KEPT',
    when: 'tsc for esnext',
    files: {
      ...installed('typescript', '5.9.3'),
      'package.json': scripts({ build: 'tsc' }),
      'tsconfig.json': lines({ compilerOptions: { module: 'nodenext', strict: true } }),
    },
    at: 'tsconfig.json:3',
    words: 'es2022',
    fixed: { 'tsconfig.json': tsconfig({}) },
  },
  {
    code: 'E_DECORATORS_KEPT',
    when: 'esbuild in a script',
    files: { 'package.json': scripts({ build: 'esbuild src/main.ts --bundle --platform=node' }) },
    at: 'package.json:6',
    words: 'node20',
    fixed: { 'package.json': scripts({ build: 'esbuild src/main.ts --bundle --target=node20' }) },
  },
  {
    code: 'E_DECORATORS_KEPT',
    when: 'esbuild in a file',
    files: { 'build.mjs': "import { build } from 'esbuild'\nawait build({ target: 'esnext' })\n" },
    at: 'build.mjs:2',
    words: 'node20',
    fixed: { 'build.mjs': "import { build } from 'esbuild'\nawait build({ target: 'node20' })\n" },
  },
  {
    code: 'E_DECORATORS_KEPT',
    when: 'Vite 8 with a configuration',
    files: {
      ...VITE,
      'package.json': manifest({ devDependencies: { vitest: '4' } }),
      'vitest.config.ts': CONFIG,
    },
    at: 'vitest.config.ts:3',
    words: 'blazon/vite',
    fixed: { 'vitest.config.ts': WITH_PLUGIN },
  },
  {
    code: 'E_DECORATORS_KEPT',
    when: 'Vite 8 without a configuration',
    files: { ...VITE, 'package.json': manifest({ devDependencies: { vitest: '4' } }) },
    at: 'package.json:6',
    words: 'blazon/vite',
    fixed: { 'vitest.config.ts': WITH_PLUGIN },
  },
  {
    code: 'E_DECORATORS_KEPT',
    when: 'Node alone',
    files: {
      'package.json': scripts({ start: 'NODE_ENV=production node --env-file=.env src/main.ts' }),
      'src/app.ts': "import { App } from 'blazon'\nexport const app = new App()\n",
      'src/main.ts': '',
    },
    at: 'package.json:6',
    words: 'tsx',
    fixed: { 'package.json': scripts({ start: 'node --import tsx src/main.ts' }) },
  },
  {
    code: 'E_DECORATORS_KEPT',
    when: 'swc',
    files: { '.swcrc': lines({ jsc: { parser: { syntax: 'typescript' }, ...STANDARD_SWC } }) },
    at: '.swcrc:3',
    words: '"decorators": true',
    fixed: { '.swcrc': swcrc(STANDARD_SWC) },
  },
  {
    code: 'W_NAMES_MINIFIED',
    when: 'esbuild in a script',
    files: { 'package.json': scripts({ build: 'npx esbuild a.ts --minify --target=node20' }) },
    at: 'package.json:6',
    words: '--keep-names',
    fixed: {
      'package.json': scripts({ build: 'npx esbuild a.ts --minify --keep-names --target=node20' }),
    },
  },
  {
    code: 'W_NAMES_MINIFIED',
    when: 'tsup in a file',
    files: {
      'tsup.config.ts':
        "import { defineConfig } from 'tsup'\nexport default defineConfig({ minify: true })",
    },
    at: 'tsup.config.ts:2',
    words: 'keepNames: true',
    fixed: {
      'tsup.config.ts':
        "import { defineConfig } from 'tsup'\nexport default defineConfig({ minify: true, keepNames: true })",
    },
  },
  {
    code: 'W_NAMES_MINIFIED',
    when: 'swc',
    files: { '.swcrc': swcrc({ ...STANDARD_SWC, minify: { mangle: true } }) },
    at: '.swcrc:11',
    words: 'keep_classnames',
    fixed: { '.swcrc': swcrc({ ...STANDARD_SWC, minify: { mangle: { keep_classnames: true } } }) },
  },
]

/** A module whose application has a route, with options. */
export const app = (options: string, before = '') => `import { App } from 'blazon'
import { UsersController } from './users-controller.js'
${before}
export const app = new App({
  controllers: [UsersController],
  ${options}
})
`

const GUARDED = `class Guard { canActivate() { return false } }`
const HIDING = `import express from 'express'\nconst router = express.Router().get('/{*rest}', (req, res) => res.send('page'))`
const PASSING = HIDING.replace('(req, res)', '(req, res, next)').replace(
  "res.send('page')",
  'next()',
)

const APPLICATION: DoctorCase[] = [
  {
    code: 'E_APP_FAILED',
    files: { 'src/app.js': app('', "throw new Error('no')") },
    at: 'src/app.js:3',
    words: 'correct the line',
    fixed: { 'src/app.js': app('') },
    readsApp: true,
  },
  {
    code: 'E_APP_FAILED',
    when: 'the configured entry does not exist',
    files: { 'package.json': manifest({ blazon: 'src/nothing.js' }) },
    at: '',
    words: 'the configured entry',
    fixed: { 'package.json': manifest({ blazon: 'src/app.js' }), 'src/app.js': app('') },
    readsApp: true,
  },
  {
    code: 'E_PACKAGE_INSTANCES',
    files: { 'src/app.js': app('', "import '../copy/dist/index.js'") },
    at: 'src/app.js',
    words: "from 'blazon'",
    fixed: { 'src/app.js': app('') },
    readsApp: true,
  },
  {
    code: 'W_DOCS_EXPOSED',
    files: {
      'src/app.js': app('auth: { guard: Guard, default: "protected" }, swagger: {},', GUARDED),
    },
    at: 'src/app.js:6',
    words: '`swagger.enabled` to `true`',
    fixed: {
      'src/app.js': app(
        'auth: { guard: Guard, default: "protected" }, swagger: { enabled: true },',
        GUARDED,
      ),
    },
    readsApp: true,
  },
  {
    code: 'W_MIDDLEWARE_HIDES_ROUTE',
    files: { 'src/app.js': app('middlewares: [router],', HIDING) },
    at: 'src/app.js:7',
    words: 'call `next()`',
    fixed: { 'src/app.js': app('middlewares: [router],', PASSING) },
    readsApp: true,
  },
  {
    code: 'E_OPTION_INVALID',
    when: 'credentials for every origin',
    files: { 'src/app.js': app("security: { cors: { origin: '*', credentials: true } },") },
    at: 'src/app.js:6',
    words: 'impossible value',
    fixed: {
      'src/app.js': app("security: { cors: { origin: 'https://a.b', credentials: true } },"),
    },
    readsApp: true,
  },
]

/** At least one for each code. */
export const CASES: readonly DoctorCase[] = [
  ...NODE,
  ...PACKAGES,
  ...TYPESCRIPT,
  ...KEPT,
  ...APPLICATION,
]

const LIMITED = "rateLimit: { limit: 5, window: '1m' },"
const WITH_IDS = 'requestIds: true, trustRequestId: true,'

/** Options that boot accepts: a wrong line of an application, words of the documented remedy, and the line after it. */
export const UNSAFE_OPTIONS = [
  [
    'W_HANDLER_UNLIMITED',
    'timeouts: { handler: false },',
    "handler: '30s'",
    "timeouts: { handler: '30s' },",
  ],
  ['W_HELMET_OFF', 'security: { helmet: false },', 'remove it', ''],
  ['W_LOGGER_OFF', 'logger: false,', 'remove `logger: false`', ''],
  ['W_PROXY_UNSET', LIMITED, 'trustProxy: 1', `${LIMITED} trustProxy: 1,`],
  ['W_REQUEST_ID_TRUSTED', WITH_IDS, 'trustProxy: 1', WITH_IDS],
] as const
