import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as blazon from 'blazon'
import * as jobs from 'blazon/jobs'
import * as jwt from 'blazon/jwt'
import * as keys from 'blazon/keys'
import * as otel from 'blazon/otel'
import * as plugin from 'blazon/plugin'
import * as postgres from 'blazon/postgres'
import * as redis from 'blazon/redis'
import * as sessions from 'blazon/sessions'
import * as testing from 'blazon/testing'
import * as typeorm from 'blazon/typeorm'
import * as vite from 'blazon/vite'
import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { root } from '../root.js'
import { readSources } from './sources.js'

/** The names that `blazon` exports at run time. A name that is added here is a promise to users. */
const VALUES = `
  All ApiBody ApiExclude ApiHidden ApiOperation ApiResponse ApiResponseDoc ApiTags App AppClosingError Auth
  BadRequestError BaseController Body Cache CacheManager Can Checks Clock ConfigError ConflictError Controller Cookies
  CurrentUser DatabaseLink Delete Deprecated Envelope ForbiddenError Get Head Header Headers Health HttpCode HttpError
  IdempotencyStore Idempotent Inject Injectable InjectionToken InternalServerError JsonLines Limits Log
  MethodNotAllowedError Metrics NotFoundError Options Outgoing Paged Params Patch PayloadTooLargeError Post
  PreconditionFailedError Produces Public Put Queries Query QueryBudget QueryMethod RateLimit Redirect Req
  RequestContext RequestRecords Requires Res ResponseFields ServiceUnavailableError Sse Tenant TenantContext TenantId
  TooManyRequestsError UnauthorizedError UnprocessableEntityError UnsupportedMediaTypeError Upload Use Version Versioned
  Webhook visibilityOf compose createTenantMiddleware csv cursor defineAppOptions defineControllers defineOption
  defineParameter env expectedVersion file fileResponse getTenantId getTraceContext githubWebhooks inject lastEventId
  del get patch post put query memoryCache memoryRateLimit page policy publicRouter requireTenantId runWithTenant runWithoutTenant schemeOf secret
  signWebhook sseComment sseEvent standardWebhooks stripeWebhooks tenantFromHost tenantFromPath tenantFromSubdomain
  tenantKey tenantRouter tenantScoped
`

/** The names that `blazon` exports as types only. */
const TYPES = `
  MethodOnlyDecorator RouteField
  AbstractClass ApiBodyOptions ApiOperationOptions ApiResponseOptions AppDocument AppOptions AuthDecoratorOptions
  AuthGuard AuthOptions AuthenticatedRequest BodyOptions BodyType CacheDecoratorOptions CacheOptions CacheStats CacheStore
  CapacityOptions CapsulesOptions Class ClassProvider ContentOptions CookieKeyOptions CookiesOptions CsvOptions
  CursorOptions CursorPage CursorPages CursorQuery CursorResult CursorValue DefaultStatus DeprecatedOptions
  DualClassDecorator DualClassOrMethodDecorator DualMethodDecorator Duration EnvOptions EnvRecord EnvToken
  EnvelopeChoice EnvelopeFormat ErrorCode ErrorContext ErrorEnvelope ErrorFormat ErrorOptions ErrorReporter
  ErrorRequestHandler ExistingProvider FactoryProvider Failure FetchInfo FieldError FileContent FileOptions FileOutput
  FileResponse FileResponseOptions FileSchema Handler HealthCheck HealthConfig HealthOptions HealthPaths HealthReport
  HttpErrorOptions IdempotentOptions InferOutput InputSchemas InputSource Interceptor InterceptorEntry JsonSchema
  KeepOptions LegacyParameterDecorator LevelLogger Lifecycle LimitOptions LinkQuery LinkRow ListenOptions LogLevel
  LogMethod Logger LoggerOptions LogsOptions MemoryCacheOptions MemoryRateLimitOptions MetricsOptions MetricsRegistry
  MetricsTenants Middleware MiddlewareList Module NextFunction NumberedPage NumberedPages OpenApiDocument OpenApiSchema
  OpenApiServer OpenApiTag OpenApiVersion OutgoingInit OutgoingOptions Override PageOptions PageQuery
  PageResult PagedRequest Plugin Policy PolicyOptions PolicyRequest PolicyRule PolicyRules PolicySubject PolicyUser
  ProblemDetails Produced Provider RateLimitBy RateLimitOptions RateLimitPolicy RateLimitStore RawBody RecordsOptions
  Representation RepresentationBody Request RequestCan RequestHandler RequestId RequestInputs RequestRecord RequestUser
  Response ResponseFieldsMode ResponseOptions RouteLimits RouteModel RouteOption RouteOptions RouteParameter
  RouteTableEntry RowVersion SavedFile Schema SchemaConverter ScopedCache SecurityOptions SessionStore Size SocketPath
  SortOf SseComment SseEvent SseEventOptions SseOptions StreamItem StreamOptions Streamed SuccessEnvelope SuccessFacts
  SwaggerOptions TenantDecoratorOptions TenantInfo TenantMiddlewareOptions TenantOptions TenantRouterOptions
  TenantScopedOptions TenantSourceOptions TenantStore TenantStrategy TimeoutOptions Timer Token TraceContext
  UnsignedWebhook UploadOutput UploadParts UploadedFile UseEntry User Validated ValidatedRequest ValidationOptions
  ValueProvider VersionHeader VersionOptions VersionedOptions WebhookDelivery WebhookOptions WebhookReplays
  WebhookScheme WebhookSecrets WebhookVerifier
`

/** The names that `blazon/plugin` exports. */
const PLUGIN_VALUES = `
  Refusal Statements TenantStates TestJobs UnderTest WorkContext addHeaders blameRequest cacheOf callerOf formatProblem
  hasFailed holdResponse idempotencyOf isSecretName isThenable keyIdOf keySchemeOf knownTraceContext loadPeer noteOf orStandIn
  producedType rateLimitsOf refuseOldPeer refuseUnknown replayResponse requestFacts setKeyId setTraceContext statusOf tenancyOf tenantOf
  toBytes toSeconds unknownOptions
`
const PLUGIN_TYPES = `
  PluginWork WorkItem
  AnswerCall AnswerStatement AnsweredStatement AnyPolicy AppModel BodyDescription BodyModel CacheEntry CallAnswer
  CallResult CallToAnswer Caller CheckModel CheckedHealth ConfigCode ContractHeader ContractOf ContractParameter
  CookiesDescription Decision DecisionValue Decorated DefinedParameter DescribeForDocument DocumentExtensions
  DrainOptions EndCall EndedRequest FieldOf FieldOrder FileRule FilterOutput FrameworkRoute GuardSetup HealthContext
  HealthQuestion HeldContent Hold HttpMethod IdempotencyClaim IdempotencyStoreContext IdempotentRoute JobRunReport
  KeptCall ListOrder MaybePromise Metric MetricSample NewCall NewStatement NoteDecision ObserverSetup OpenApiComponents
  OpenApiHeader OpenApiInfo OpenApiMediaType OpenApiMethod OpenApiOAuthFlow OpenApiOperation OpenApiParameter
  OpenApiPathItem OpenApiRequestBody OpenApiResponse OpenApiSecurityScheme OperationFacts OptionDecorator OptionMistake OptionNames OptionSettings
  OptionTarget OptionValue OrderField PageFilter Pages PagesDefinition ParameterDefinition ParameterModel ParameterPlace
  ParameterSettings ParameterSource PeerUse PluginContext PluginMiddlewares PluginSteps Problem ProducedModel RanCall RateLimitsOfRoute
  RanStatement RateLimitCount RateLimitResult ReceivedBytes RecordedCall RecordedDecision RecordedError RecordedLog
  RecordedRoute RecordedStatement RecordedStep Reference RefusedStatement RequestFacts RequestObserver RequestOutcome
  RequestSecretTexts ResponseCause RouteBounds RouteContract RouteMistake RouteSetup RunningStatement SchemaSide
  SecretSource SecurityRequirement SentJob SessionChange SessionFields SessionRecord SessionStoreContext SessionWrite
  SortQuery SpanIdentity StepFactory StatementFailure StatementResult StatementsConfig Step StepName StoreContext
  StoredResponse StreamFormat StreamKind StreamModel TenantScope TraceHeaders TraceState UploadModel UsedByRoute Work
`

/** The names that `blazon/testing` exports. */
const TESTING_VALUES =
  'ContractCoverage ContractError QueryBudgetError TestApp UnansweredCallError UnansweredStatementError openCapsule'
const TESTING_TYPES = `
  Access AuthMatrix AuthMatrixOptions AuthMatrixRow ContractViolation CoverageCount CoverageOptions CoverageReport CoverageThreshold FuzzAllowance
  FuzzedOperation FuzzOptions FuzzReport IsolationCaller IsolationLeak IsolationLeakKind IsolationOptions IsolationReport
  IsolationRow IsolationVerdict LogEntry
  AnswerCall AnsweredCall CallAnswer CallToAnswer TestCall TestOutgoing
  AnsweredStatement CapsuleUse Explanation OpenCapsule OperationQueries QueryOptions StatementFailure
  OperationCoverage Principal TestCaller TestClock TestOptions ViolationKind
  ReplayOptions ReplayReport
`

/** The names that `blazon/jwt` exports. */
const JWT_VALUES = 'jwt jwtMetadata signTestToken'
const JWT_TYPES = `
  JwtAlgorithm JwtClaims JwtFetch JwtGuard JwtIdentity JwtJwk JwtKey JwtKeys JwtMetadataOptions JwtOptions JwtPem JwtSecret JwtUser
  TestTokenOptions
`

/** The names that `blazon/postgres` exports. */
const POSTGRES_VALUES = `
  Database PostgresError Sql TenantSwitchError Transactional apiKeysTable doctor isExclusionViolation isForeignKeyViolation
  isUniqueViolation listApiKeys migrate migrationStatus postgres postgresKeys postgresSessions protectTable
  provideDrizzle readDrizzlePage readPage revokeApiKey saveApiKey sessionTable sql tenantTable withDatabaseLink
  idempotencyTable versionIs
`
const POSTGRES_TYPES = `
  ApiKeysTableOptions AppliedMigration DrizzleColumn DrizzlePage DrizzleRow Field Finding FoundApiKey Isolation
  MigrateOptions MigrationState MigrationStatus NewApiKey PostgresErrorFields PostgresKeys PostgresOptions PostgresSessionsOptions
  PostgresTimeouts ProtectTableOptions QueryResult SessionTableOptions SqlTag Statement StoredApiKey TenantReference
  TenantTableOptions TransactionOptions
  IdempotencyTableOptions
`

/** The names that `blazon/jobs` exports. */
const JOBS_VALUES =
  'Cron Job Jobs WebhookEndpoints Webhooks Worker defineJob jobs listJobs retryJob'
const JOBS_TYPES = `
  CronOptions JobDecorator JobDefinition JobOf JobOptions JobRun JobSender JobsOptions SendArguments SendOptions StoredJob StoredJobsFilter
  WebhookDeliveryLog WebhookEndpoint WebhookEvent
`

/** The names that `blazon/keys` exports. */
const KEYS_VALUES = ['apiKeys', 'generateApiKey', 'hashApiKey']
const KEYS_TYPES =
  'ApiKeyGuard ApiKeyRecord ApiKeyUser ApiKeysOptions GenerateApiKeyOptions GeneratedApiKey'

/** The names that `blazon/sessions` exports. */
const SESSIONS_VALUES = 'SetsSession memorySessions sessions'
const SESSIONS_TYPES = `
  MemorySessionsOptions Session SessionCookieOptions SessionManager SessionOwner SessionRow SessionSchema SessionUser Sessions SessionsOptions
`

/** The names that `blazon/redis` exports. */
const REDIS_VALUES = ['redisCache', 'redisIdempotency', 'redisLimits', 'redisSessions']
const REDIS_TYPES = 'RedisClient RedisCluster RedisClusterOptions RedisLimitsOptions RedisOptions'

/** The names that `blazon/typeorm` exports. */
const TYPEORM_VALUES = ['dataSourceOf', 'readPage', 'repositoryOf', 'typeorm']

const words = (text: string) => text.trim().split(/\s+/).sort()
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Names that a door exports, as written. */
function exportedNames(
  path: string,
  passedOn = 'contracts/public.ts',
): { values: string[]; types: string[] } {
  const door = readSources().find((source) => source.path === path)
  const [values, types]: [string[], string[]] = [[], []]
  for (const statement of door?.tree.statements ?? []) {
    if (!ts.isExportDeclaration(statement)) continue
    if (statement.exportClause === undefined) {
      types.push(...exportedNames(passedOn).types)
      continue
    }
    const clause = statement.exportClause as ts.NamedExports
    for (const element of clause.elements) {
      const isType = statement.isTypeOnly || element.isTypeOnly
      ;(isType ? types : values).push(element.name.text)
    }
  }
  return { values: values.sort(), types: types.sort() }
}

describe('blazon', () => {
  it('exports exactly the documented values', () => {
    expect(Object.keys(blazon).sort()).toEqual(words(VALUES))
  })

  it('exports exactly the documented types', () => {
    const { values, types } = exportedNames('index.ts')
    expect(values).toEqual(words(VALUES))
    expect(types).toEqual(words(TYPES))
  })
})

describe('blazon/plugin', () => {
  const { values, types } = exportedNames('plugin/index.ts', 'contracts/for-plugins.ts')

  it('exports exactly the documented names', () => {
    expect(Object.keys(plugin).sort()).toEqual(words(PLUGIN_VALUES))
    expect(values).toEqual(words(PLUGIN_VALUES))
    expect(types).toEqual(words(PLUGIN_TYPES))
  })

  it('exports no name of `blazon`', () => {
    const main = new Set([...words(VALUES), ...words(TYPES)])
    expect([...values, ...types].filter((name) => main.has(name))).toEqual([])
  })
})

describe('blazon/testing', () => {
  it('exports exactly the documented values', () => {
    expect(Object.keys(testing).sort()).toEqual(words(TESTING_VALUES))
    const { values, types } = exportedNames('testing/index.ts')
    expect(values).toEqual(words(TESTING_VALUES))
    expect(types).toEqual(words(TESTING_TYPES))
  })
})

describe('blazon/jwt', () => {
  it('exports exactly the documented names', () => {
    const { values, types } = exportedNames('integrations/jwt/index.ts')
    expect(Object.keys(jwt).sort()).toEqual(words(JWT_VALUES))
    expect(values).toEqual(words(JWT_VALUES))
    expect(types).toEqual(words(JWT_TYPES))
  })
})

describe('blazon/postgres', () => {
  it('exports exactly the documented names', () => {
    const { values, types } = exportedNames('integrations/postgres/index.ts')
    expect(Object.keys(postgres).sort()).toEqual(words(POSTGRES_VALUES))
    expect(values).toEqual(words(POSTGRES_VALUES))
    expect(types).toEqual(words(POSTGRES_TYPES))
  })
})

describe('blazon/keys', () => {
  it('exports exactly the documented names', () => {
    const { values, types } = exportedNames('integrations/api-keys/index.ts')
    expect(Object.keys(keys).sort()).toEqual(KEYS_VALUES)
    expect(values).toEqual(KEYS_VALUES)
    expect(types).toEqual(words(KEYS_TYPES))
  })
})

describe('blazon/otel', () => {
  it('exports exactly the documented names', () => {
    expect(Object.keys(otel)).toEqual(['otel'])
    const names = { values: ['otel'], types: ['OtelOptions'] }
    expect(exportedNames('integrations/otel/index.ts')).toEqual(names)
  })
})

describe('blazon/sessions', () => {
  it('exports exactly the documented names', () => {
    const { values, types } = exportedNames('integrations/sessions/index.ts')
    expect(Object.keys(sessions).sort()).toEqual(words(SESSIONS_VALUES))
    expect(values).toEqual(words(SESSIONS_VALUES))
    expect(types).toEqual(words(SESSIONS_TYPES))
  })
})

describe('blazon/jobs', () => {
  it('exports exactly the documented names', () => {
    const { values, types } = exportedNames('integrations/jobs/index.ts')
    expect(Object.keys(jobs).sort()).toEqual(words(JOBS_VALUES))
    expect(values).toEqual(words(JOBS_VALUES))
    expect(types).toEqual(words(JOBS_TYPES))
  })
})

describe('blazon/redis', () => {
  it('exports exactly the documented names', () => {
    const { values, types } = exportedNames('integrations/redis/index.ts')
    expect(Object.keys(redis).sort()).toEqual(REDIS_VALUES)
    expect(values).toEqual(REDIS_VALUES)
    expect(types).toEqual(words(REDIS_TYPES))
  })
})

describe('blazon/typeorm', () => {
  it('exports exactly the documented names', () => {
    const { values, types } = exportedNames('integrations/typeorm/index.ts')
    expect(Object.keys(typeorm).sort()).toEqual(TYPEORM_VALUES)
    expect(values).toEqual(TYPEORM_VALUES)
    expect(types).toEqual(['EntityLike', 'TypeOrmOptions'])
  })
})

describe('blazon/vite', () => {
  it('exports exactly the documented names', () => {
    expect(Object.keys(vite)).toEqual(['blazon'])
    const names = { values: ['blazon'], types: ['VitePlugin'] }
    expect(exportedNames('integrations/vite/index.ts')).toEqual(names)
  })
})

/** Objects of options without a table of names, and why. */
const WITHOUT_NAMES: Readonly<Record<string, string>> = {
  AuthDecoratorOptions: '@Auth refuses all but `optional`',
  TenantDecoratorOptions: '@Tenant refuses all but `optional`',
  CookiesOptions: '@Cookies refuses all but `signed`',
  ContentOptions: 'made for each response',
  FileResponseOptions: 'made for each response',
  DrainOptions: 'made for each call',
  HttpErrorOptions: 'made for each error',
  KeepOptions: 'made for each value',
  SseEventOptions: 'made for each event',
  SendOptions: 'made for each job',
  PostgresSessionsOptions: 'a part of SessionTableOptions',
  RedisClusterOptions: 'read by node-redis',
  RedisLimitsOptions: 'RedisOptions, whose table has its names',
  TenantSourceOptions: 'a part of TenantMiddlewareOptions',
  TestOptions: 'AppOptions, and those that are taken out of them',
  TypeOrmOptions: 'read by TypeORM',
}

describe('an options object', () => {
  const all = [
    TYPES,
    PLUGIN_TYPES,
    TESTING_TYPES,
    JWT_TYPES,
    POSTGRES_TYPES,
    JOBS_TYPES,
    KEYS_TYPES,
    SESSIONS_TYPES,
    REDIS_TYPES,
  ]
  const names = [...all.flatMap(words), 'OtelOptions', 'RouteLimits', 'RateLimitPolicy', 'Module']
    .filter((name) => /(?:Options|Settings|Policy|Limits|Module)$/.test(name))
    .filter((name) => !['AnyPolicy', 'Policy', 'NumberedPages'].includes(name))
  const sources = readSources().map(({ text }) => text)

  it.each(names)('has a table of its option names, or a reason to have none: %s', (name) => {
    const table = new RegExp(`(?:OptionNames<(?:Any)?|Record<keyof )${name}\\b`)
    expect(sources.some((text) => table.test(text))).toBe(!Object.hasOwn(WITHOUT_NAMES, name))
  })
})

const isBuilt = existsSync(join(root, 'dist/index.js'))
if (!isBuilt) console.warn('Skipped: dist/ is missing. `npm run build` makes it.')

describe.skipIf(!isBuilt)('the build', () => {
  const files = Object.entries(manifest.exports).flatMap(([door, target]) =>
    filesOf(target).map((file) => ({ door, file })),
  )

  it.each(files)('contains $file for $door', ({ file }) => {
    expect(existsSync(join(root, file))).toBe(true)
  })

  it('can be loaded with require() from CommonJS', () => {
    expect(evaluate('commonjs', "Object.keys(require('blazon'))")).toEqual(words(VALUES))
    expect(evaluate('commonjs', "Object.keys(require('blazon/testing'))")).toEqual(
      words(TESTING_VALUES),
    )
    expect(evaluate('commonjs', "Object.keys(require('blazon/plugin'))")).toEqual(
      words(PLUGIN_VALUES),
    )
    expect(evaluate('commonjs', "Object.keys(require('blazon/jobs'))")).toEqual(words(JOBS_VALUES))
    expect(evaluate('commonjs', "Object.keys(require('blazon/keys'))")).toEqual(KEYS_VALUES)
    expect(evaluate('commonjs', "Object.keys(require('blazon/redis'))")).toEqual(REDIS_VALUES)
    expect(evaluate('commonjs', "Object.keys(require('blazon/sessions')).sort()")).toEqual(
      words(SESSIONS_VALUES),
    )
    expect(evaluate('commonjs', "Object.keys(require('blazon/postgres'))")).toEqual(
      words(POSTGRES_VALUES),
    )
    expect(evaluate('commonjs', "Object.keys(require('blazon/jwt'))")).toEqual(words(JWT_VALUES))
    expect(evaluate('commonjs', "Object.keys(require('blazon/typeorm'))")).toEqual(TYPEORM_VALUES)
    expect(evaluate('commonjs', "Object.keys(require('blazon/otel'))")).toEqual(['otel'])
    expect(evaluate('commonjs', "Object.keys(require('blazon/vite'))")).toEqual(['blazon'])
  })

  it('exports the same `App` for require() and import()', () => {
    const code = "(await import('blazon')).App === createRequire(import.meta.url)('blazon').App"
    expect(evaluate('module', code)).toBe(true)
  })

  it('exports only the listed entry points', () => {
    const code = "import('blazon/dist/index.js').then(() => 'open', ({ code }) => code)"
    expect(evaluate('module', `await ${code}`)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })
})

/** The files that an entry of `exports` names, under any of its conditions. */
function filesOf(target: unknown): string[] {
  return typeof target === 'string' ? [target] : Object.values(target as object).flatMap(filesOf)
}

/** Evaluates an expression in a process of its own, which finds the package by its name. */
function evaluate(inputType: 'commonjs' | 'module', expression: string): unknown {
  const prologue = inputType === 'module' ? "import { createRequire } from 'node:module';" : ''
  const code = `${prologue} console.log(JSON.stringify(${expression}))`
  const args = [`--input-type=${inputType}`, '--eval', code]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  const value = JSON.parse(stdout)
  return Array.isArray(value) ? value.sort() : value
}
