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

/** The files of a project with nothing to find. */
export const FINE: Files = {
  'package.json': PACKAGE,
}

const manifest = (more: object) => lines({ ...PACKAGE, ...more })
const lines = (value: object) => JSON.stringify(value, null, 2)
const installed = (name: string, version: string, more: object = {}) => ({
  [`node_modules/${name}/package.json`]: { name, version, main: 'index.js', ...more },
  [`node_modules/${name}/index.js`]: '',
})

/** A package that is too old for blazon, and that nothing loads through it. */
export const OLD_PEER: Files = {
  ...installed('redis', '4.7.0'),
  'package.json': manifest({ dependencies: { redis: '4' } }),
}

const PACKAGES: DoctorCase[] = [
  {
    code: 'E_PACKAGE_TWICE',
    files: {
      'package.json': manifest({ dependencies: { blazon: '1', plugin: '1' } }),
      ...installed('plugin', '1.0.0', { dependencies: { blazon: '0.0.9' } }),
      ...installed('plugin/node_modules/blazon', '0.0.9'),
    },
    at: 'package.json',
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
    files: OLD_PEER,
    at: 'package.json',
    words: 'install a newer version',
    fixed: installed('redis', '6.1.0'),
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
    words: 'correct the line in the message',
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
    at: 'src/app.js',
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
    at: 'src/app.js',
    words: 'call `next()`',
    fixed: { 'src/app.js': app('middlewares: [router],', PASSING) },
    readsApp: true,
  },
  {
    code: 'E_OPTION_INVALID',
    when: 'credentials for every origin',
    files: { 'src/app.js': app("security: { cors: { origin: '*', credentials: true } },") },
    at: 'src/app.js',
    words: 'an invalid value',
    fixed: {
      'src/app.js': app("security: { cors: { origin: 'https://a.b', credentials: true } },"),
    },
    readsApp: true,
  },
]

/** At least one for each code. */
export const CASES: readonly DoctorCase[] = [...PACKAGES, ...APPLICATION]

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
  ['W_PROXY_UNSET', LIMITED, 'the number of proxies', `${LIMITED} trustProxy: 1,`],
  ['W_REQUEST_ID_TRUSTED', WITH_IDS, 'trustProxy: 1', WITH_IDS],
] as const
