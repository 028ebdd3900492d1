/* The types of this room that the package exports: `src/index.ts` passes all of them on. */
export type { BodyOptions, BodyType, RawBody } from './body.js'
export type { CacheDecoratorOptions, CacheStore } from './cache.js'
export type { Timer } from './clock.js'
export type { CookiesOptions } from './cookies.js'
export type { LinkQuery, LinkRow } from './database-link.js'
export type {
  DualClassDecorator,
  DualClassOrMethodDecorator,
  DualMethodDecorator,
  LegacyParameterDecorator,
  MethodOnlyDecorator,
} from './decorator.js'
export type { DeprecatedOptions } from './deprecation.js'
export type { ErrorContext, ErrorReporter } from './error-context.js'
export type { RouteField } from './field-route.js'
export type { AuthDecoratorOptions, AuthGuard } from './guard.js'
export type {
  AuthenticatedRequest,
  ErrorRequestHandler,
  Handler,
  InputSchemas,
  Middleware,
  MiddlewareList,
  NextFunction,
  Request,
  RequestCan,
  RequestHandler,
  RequestId,
  RequestInputs,
  RequestUser,
  Response,
  User,
  Validated,
  ValidatedRequest,
} from './handler.js'
export type { HealthCheck, HealthReport } from './health.js'
export type { Interceptor, InterceptorEntry, UseEntry } from './interceptor.js'
export type { LevelLogger, Logger, LogLevel, LogMethod } from './logger.js'
export type {
  NumberedPage,
  NumberedPages,
  PageOptions,
  PageQuery,
  PageResult,
} from './numbered-pages.js'
export type {
  OpenApiDocument,
  OpenApiSchema,
  OpenApiServer,
  OpenApiTag,
  SchemaConverter,
} from './openapi.js'
export type {
  ApiBodyOptions,
  ApiOperationOptions,
  ApiResponseOptions,
  ResponseFieldsMode,
} from './operation.js'
export type { RouteOption } from './option.js'
export type { SortOf } from './page-order.js'
export type {
  CursorOptions,
  CursorPage,
  CursorPages,
  CursorQuery,
  CursorResult,
  CursorValue,
  PagedRequest,
} from './pages.js'
export type { RouteParameter } from './parameter.js'
export type { Plugin } from './plugin.js'
export type {
  Policy,
  PolicyOptions,
  PolicyRequest,
  PolicyRule,
  PolicyRules,
  PolicyUser,
} from './policy.js'
export type {
  AbstractClass,
  Class,
  ClassProvider,
  ExistingProvider,
  FactoryProvider,
  Lifecycle,
  Module,
  Provider,
  Token,
  ValueProvider,
} from './provider.js'
export type { RateLimitBy, RateLimitPolicy, RateLimitStore } from './rate-limit.js'
export type { Produced, Representation, RepresentationBody } from './representation.js'
export type { RequestRecord } from './request-record.js'
export type { RouteLimits } from './route-limits.js'
export type { DefaultStatus, RouteModel, RouteTableEntry } from './route-model.js'
export type { RouteOptions } from './route-options.js'
export type { FieldError, InferOutput, InputSource, JsonSchema, Schema } from './schema.js'
export type { SessionStore } from './session.js'
export type {
  SseComment,
  SseEvent,
  SseEventOptions,
  SseOptions,
  Streamed,
  StreamItem,
  StreamOptions,
} from './stream.js'
export type { TenantDecoratorOptions, TenantInfo, TenantStore, TenantStrategy } from './tenant.js'
export type { TraceContext } from './trace.js'
export type { Duration, Size } from './units.js'
export type {
  FileOptions,
  FileOutput,
  SavedFile,
  UploadedFile,
  UploadOutput,
  UploadParts,
} from './upload.js'
export type { VersionHeader, VersionOptions } from './version.js'
export type {
  WebhookDelivery,
  WebhookOptions,
  WebhookReplays,
  WebhookScheme,
  WebhookSecrets,
  WebhookVerifier,
} from './webhook.js'
export type {
  EnvelopeChoice,
  EnvelopeFormat,
  ErrorFormat,
  Failure,
  SuccessFacts,
} from './wire-format.js'
