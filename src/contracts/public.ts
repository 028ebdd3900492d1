/* The types in this folder that the package exports. `src/index.ts` re-exports all of them. */

export type { CacheDecoratorOptions, CacheStore } from './cache.js'
export type { Timer } from './clock.js'
export type { LinkQuery, LinkRow } from './database.js'
export type {
  DualClassDecorator,
  DualClassOrMethodDecorator,
  DualMethodDecorator,
  LegacyParameterDecorator,
  MethodOnlyDecorator,
} from './decorator.js'
export type { RouteOption, RouteParameter } from './extensions.js'
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
export type {
  BodyOptions,
  BodyType,
  CookiesOptions,
  FileOptions,
  FileOutput,
  RawBody,
  SavedFile,
  UploadedFile,
  UploadOutput,
  UploadParts,
} from './inputs.js'
export type { Interceptor, InterceptorEntry, UseEntry } from './interceptor.js'
export type { Duration, RouteLimits, Size } from './limits.js'
export type { LevelLogger, Logger, LogLevel, LogMethod } from './logger.js'
export type { ErrorContext, ErrorReporter } from './observers.js'
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
export type {
  CursorOptions,
  CursorPage,
  CursorPages,
  CursorQuery,
  CursorResult,
  CursorValue,
  NumberedPage,
  NumberedPages,
  PagedRequest,
  PageOptions,
  PageQuery,
  PageResult,
  SortOf,
} from './pages.js'
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
export type { HealthCheck, HealthReport } from './reports.js'
export type {
  Produced,
  Representation,
  RepresentationBody,
  SseComment,
  SseEvent,
  SseEventOptions,
  SseOptions,
  Streamed,
  StreamItem,
  StreamOptions,
} from './representation.js'
export type { RequestRecord } from './request-record.js'
export type { DefaultStatus, RouteModel, RouteTableEntry } from './route-model.js'
export type { RouteOptions } from './route-options.js'
export type { FieldError, InferOutput, InputSource, JsonSchema, Schema } from './schema.js'
export type { SessionStore } from './session.js'
export type { TenantDecoratorOptions, TenantInfo, TenantStore, TenantStrategy } from './tenant.js'
export type { TraceContext } from './trace.js'
export type { DeprecatedOptions, VersionHeader, VersionOptions } from './version.js'
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
