import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as blazon from 'blazon'
import * as jwt from 'blazon/jwt'
import * as postgres from 'blazon/postgres'
import * as redis from 'blazon/redis'
import * as testing from 'blazon/testing'
import * as typeorm from 'blazon/typeorm'
import * as vite from 'blazon/vite'
import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { root } from '../root.js'
import { readSources } from './sources.js'

/** The names that `blazon` exports at run time. A name that is added here is a promise to users. */
const VALUES = `
  All ApiBody ApiHidden ApiOperation ApiResponseDoc ApiTags App AppClosingError Auth BadRequestError BaseController
  Body Cache CacheManager Can Clock ConfigError ConflictError Controller Cookies CurrentUser Delete Envelope ForbiddenError
  Get Head Header Headers Health HttpCode HttpError Inject Injectable InjectionToken InternalServerError JsonLines
  Limits Log MethodNotAllowedError NotFoundError Options Paged Params Patch PayloadTooLargeError Post Produces Public
  Put Query RateLimit Redirect Refusal Req RequestContext Res ResponseFields ServiceUnavailableError Sse Tenant
  TenantContext TenantId TooManyRequestsError UnauthorizedError UnprocessableEntityError UnsupportedMediaTypeError
  Upload Use Webhook addHeaders blameRequest compose createTenantMiddleware csv cursor defineAppOptions
  defineControllers defineOption defineParameter env file fileResponse formatProblem getTenantId getTraceContext
  githubWebhooks hasFailed holdResponse inject isThenable knownTraceContext lastEventId memoryCache memoryRateLimit
  producedType publicRouter refuseOldPeer replayResponse requireTenantId runWithTenant runWithoutTenant secret
  sseComment sseEvent standardWebhooks statusOf stripeWebhooks
  tenantFromHost tenantFromPath tenantFromSubdomain tenantKey tenantOf tenantRouter tenantScoped toBytes toSeconds
`

/** The names that `blazon` exports as types only. */
const TYPES = `
  AbstractClass ApiBodyOptions ApiOperationOptions ApiResponseOptions AppDocument AppModel AppOptions
  AuthDecoratorOptions AuthGuard AuthOptions AuthenticatedRequest BodyDescription BodyModel BodyOptions BodyType CacheEntry CacheOptions CacheSettings CacheStats
  CacheStore CheckedHealth Class ClassProvider ConfigCode ContentOptions ContractHeader ContractOf ContractParameter
  CookieKeyOptions CookiesDescription CookiesOptions CsvOptions CursorOptions CursorPage CursorPages CursorQuery
  CursorResult CursorValue Decorated FieldOf FilterOutput OrderField PageFilter Pages PagesDefinition
  DefaultStatus DefinedParameter DualClassDecorator DualClassOrMethodDecorator DualMethodDecorator Duration
  EndedRequest EnvOptions EnvRecord EnvToken EnvelopeChoice EnvelopeFormat ErrorCode ErrorContext ErrorEnvelope
  ErrorFormat ErrorOptions ErrorReporter ErrorRequestHandler ExistingProvider FactoryProvider Failure FetchInfo
  FieldError FileContent FileOptions FileResponseOptions FileOutput FileResponse FileRule FileSchema SavedFile UploadModel UploadOutput
  UploadParts UploadedFile
  FrameworkRoute Handler HealthCheck HealthConfig HealthContext HealthOptions HealthPaths HealthQuestion HealthReport
  Hold HttpErrorOptions HttpMethod InferOutput InputSchemas InputSource Interceptor InterceptorEntry JsonSchema
  KeepOptions LegacyParameterDecorator LevelLogger Lifecycle LimitOptions ListenOptions LogLevel LogMethod Logger
  LoggerOptions LogsOptions MaybePromise MemoryCacheOptions MemoryRateLimitOptions Middleware MiddlewareList Module
  NextFunction ObserverSetup OpenApiComponents OpenApiDocument OpenApiHeader OpenApiInfo OpenApiMediaType
  OpenApiMethod OpenApiOperation OpenApiParameter OpenApiPathItem OpenApiRequestBody OpenApiResponse OpenApiSchema
  OpenApiSecurityScheme OpenApiServer OpenApiTag OpenApiVersion OperationFacts OptionDecorator OptionSettings OptionTarget
  OptionValue Override ParameterDefinition ParameterModel ParameterPlace ParameterSettings ParameterSource PeerUse
  Plugin PluginContext PluginMiddlewares PluginSteps Problem ProblemDetails Produced ProducedModel Provider RateLimitBy RawBody
  RateLimitCount RateLimitOptions RateLimitPolicy RateLimitResult RateLimitStore Reference RefusedStatement Representation RepresentationBody Request
  RequestHandler RequestId RequestInputs RequestObserver RequestOutcome RequestUser Response ResponseCause
  ResponseFieldsMode ResponseOptions RouteBounds RouteContract RouteLimits RouteModel RouteOption RouteParameter
  RouteSetup RouteTableEntry Schema SchemaConverter SchemaSide ScopedCache SecurityOptions SecurityRequirement Size SocketPath SseComment SseEvent SseEventOptions SseOptions Stage Step StoreContext StoredResponse StreamFormat StreamItem StreamKind StreamModel StreamOptions Streamed SuccessEnvelope SuccessFacts SwaggerOptions TenantDecoratorOptions TenantInfo
  TenantMiddlewareOptions TenantOptions TenantRouterOptions TenantScope TenantScopedOptions TenantSourceOptions
  TenantStore TenantStrategy TimeoutOptions Timer Token TraceContext TraceHeaders UseEntry UsedByRoute User Validated
  ValidatedRequest ValidationOptions ValueProvider WebhookDelivery WebhookOptions WebhookReplays WebhookScheme
  WebhookSecrets WebhookVerifier
`

/** The names that `blazon/testing` exports. */
const TESTING_VALUES = 'ContractCoverage ContractError TestApp'
const TESTING_TYPES = `
  Access AuthMatrix AuthMatrixOptions AuthMatrixRow ContractViolation CoverageCount CoverageOptions CoverageReport CoverageThreshold FuzzAllowance
  FuzzedOperation FuzzOptions FuzzReport IsolationCaller IsolationLeak IsolationLeakKind IsolationOptions IsolationReport
  IsolationRow IsolationVerdict LogEntry
  OperationCoverage Principal TestCaller TestClock TestOptions ViolationKind
`

/** The names that `blazon/jwt` exports. */
const JWT_VALUES = 'jwt jwtMetadata signTestToken'
const JWT_TYPES = `
  JwtAlgorithm JwtClaims JwtFetch JwtGuard JwtIdentity JwtJwk JwtKey JwtMetadataOptions JwtOptions JwtPem JwtSecret JwtUser
  TestTokenOptions
`

/** The names that `blazon/postgres` exports. */
const POSTGRES_VALUES = `
  Database PostgresError Sql TenantSwitchError Transactional doctor isForeignKeyViolation isUniqueViolation migrate migrationStatus postgres protectTable provideDrizzle readPage sql tenantTable
`
const POSTGRES_TYPES = `
  AppliedMigration Field Finding MigrateOptions MigrationState MigrationStatus PostgresErrorFields PostgresOptions PostgresTimeouts ProtectTableOptions QueryResult SqlTag Statement TenantReference TenantTableOptions
`

/** The names that `blazon/redis` exports as types. */
const REDIS_TYPES = 'RedisClient RedisCluster RedisClusterOptions RedisLimitsOptions RedisOptions'

/** The names that `blazon/typeorm` exports. */
const TYPEORM_VALUES = ['dataSourceOf', 'repositoryOf', 'typeorm']

const words = (text: string) => text.trim().split(/\s+/).sort()
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Names that a door exports, as written. */
function exportedNames(path: string): { values: string[]; types: string[] } {
  const door = readSources().find((source) => source.path === path)
  const [values, types]: [string[], string[]] = [[], []]
  for (const statement of door?.tree.statements ?? []) {
    if (!ts.isExportDeclaration(statement)) continue
    const clause = statement.exportClause as ts.NamedExports
    for (const element of clause.elements) {
      const isType = statement.isTypeOnly || element.isTypeOnly
      ;(isType ? types : values).push(element.name.text)
    }
  }
  return { values: values.sort(), types: types.sort() }
}

describe('blazon', () => {
  it('exports exactly the promised values', () => {
    expect(Object.keys(blazon).sort()).toEqual(words(VALUES))
  })

  it('exports exactly the promised types', () => {
    const { values, types } = exportedNames('index.ts')
    expect(values).toEqual(words(VALUES))
    expect(types).toEqual(words(TYPES))
  })
})

describe('blazon/testing', () => {
  it('exports exactly the promised values', () => {
    expect(Object.keys(testing).sort()).toEqual(words(TESTING_VALUES))
    const { values, types } = exportedNames('testing/index.ts')
    expect(values).toEqual(words(TESTING_VALUES))
    expect(types).toEqual(words(TESTING_TYPES))
  })
})

describe('blazon/jwt', () => {
  it('exports exactly the promised names', () => {
    const { values, types } = exportedNames('integrations/jwt/index.ts')
    expect(Object.keys(jwt).sort()).toEqual(words(JWT_VALUES))
    expect(values).toEqual(words(JWT_VALUES))
    expect(types).toEqual(words(JWT_TYPES))
  })
})

describe('blazon/postgres', () => {
  it('exports exactly the promised names', () => {
    const { values, types } = exportedNames('integrations/postgres/index.ts')
    expect(Object.keys(postgres).sort()).toEqual(words(POSTGRES_VALUES))
    expect(values).toEqual(words(POSTGRES_VALUES))
    expect(types).toEqual(words(POSTGRES_TYPES))
  })
})

describe('blazon/redis', () => {
  it('exports exactly the promised names', () => {
    const { values, types } = exportedNames('integrations/redis/index.ts')
    expect(Object.keys(redis).sort()).toEqual(['redisCache', 'redisLimits'])
    expect(values).toEqual(['redisCache', 'redisLimits'])
    expect(types).toEqual(words(REDIS_TYPES))
  })
})

describe('blazon/typeorm', () => {
  it('exports exactly the promised names', () => {
    const { values, types } = exportedNames('integrations/typeorm/index.ts')
    expect(Object.keys(typeorm).sort()).toEqual(TYPEORM_VALUES)
    expect(values).toEqual(TYPEORM_VALUES)
    expect(types).toEqual(['EntityLike', 'TypeOrmOptions'])
  })
})

describe('blazon/vite', () => {
  it('exports exactly the promised names', () => {
    expect(Object.keys(vite)).toEqual(['blazon'])
    const names = { values: ['blazon'], types: ['VitePlugin'] }
    expect(exportedNames('integrations/vite/index.ts')).toEqual(names)
  })
})

const isBuilt = existsSync(join(root, 'dist/index.js'))
if (!isBuilt) console.warn('Skipped: dist/ is missing. `npm run build` makes it.')

describe.skipIf(!isBuilt)('the build', () => {
  const files = Object.entries(manifest.exports).flatMap(([door, target]) =>
    filesOf(target).map((file) => ({ door, file })),
  )

  it.each(files)('has $file for $door', ({ file }) => {
    expect(existsSync(join(root, file))).toBe(true)
  })

  it('can be required from CommonJS', () => {
    expect(evaluate('commonjs', "Object.keys(require('blazon'))")).toEqual(words(VALUES))
    expect(evaluate('commonjs', "Object.keys(require('blazon/testing'))")).toEqual(
      words(TESTING_VALUES),
    )
    expect(evaluate('commonjs', "Object.keys(require('blazon/redis'))")).toEqual([
      'redisCache',
      'redisLimits',
    ])
    expect(evaluate('commonjs', "Object.keys(require('blazon/postgres'))")).toEqual(
      words(POSTGRES_VALUES),
    )
    expect(evaluate('commonjs', "Object.keys(require('blazon/jwt'))")).toEqual(words(JWT_VALUES))
    expect(evaluate('commonjs', "Object.keys(require('blazon/typeorm'))")).toEqual(TYPEORM_VALUES)
    expect(evaluate('commonjs', "Object.keys(require('blazon/vite'))")).toEqual(['blazon'])
  })

  it('has the same App for require() and import()', () => {
    const code = "(await import('blazon')).App === createRequire(import.meta.url)('blazon').App"
    expect(evaluate('module', code)).toBe(true)
  })

  it('exports only the listed doors', () => {
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
