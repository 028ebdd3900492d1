/* The types of this room that the package exports: `src/index.ts` passes all of them on. */
export type {
  BodyDescription,
  BodyModel,
  BodyOptions,
  BodyType,
  RawBody,
} from './body.js'
export type {
  CacheEntry,
  CacheOptions,
  CacheStore,
  MaybePromise,
  StoreContext,
} from './cache.js'
export type { Timer } from './clock.js'
export type { CookiesDescription, CookiesOptions } from './cookies.js'
export type { LinkQuery, LinkRow } from './database-link.js'
export type { Decision, DecisionValue, NoteDecision } from './decision.js'
export type {
  DualClassDecorator,
  DualClassOrMethodDecorator,
  DualMethodDecorator,
  LegacyParameterDecorator,
  MethodOnlyDecorator,
} from './decorator.js'
export type { DeprecatedOptions } from './deprecation.js'
export type { EndedRequest, RequestObserver, ResponseCause } from './ended-request.js'
export type { ErrorContext, ErrorReporter } from './error-context.js'
export type { RouteField } from './field-route.js'
export type { FrameworkRoute } from './framework-route.js'
export type { AuthDecoratorOptions, AuthGuard, GuardSetup } from './guard.js'
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
  CheckedHealth,
  HealthCheck,
  HealthContext,
  HealthQuestion,
  HealthReport,
} from './health.js'
export type {
  Interceptor,
  InterceptorEntry,
  UsedByRoute,
  UseEntry,
} from './interceptor.js'
export type { LevelLogger, Logger, LogLevel, LogMethod } from './logger.js'
export type { Metric, MetricSample } from './metrics.js'
export type {
  NumberedPage,
  NumberedPages,
  PageOptions,
  PageQuery,
  PageResult,
} from './numbered-pages.js'
export type {
  OpenApiComponents,
  OpenApiDocument,
  OpenApiHeader,
  OpenApiInfo,
  OpenApiMediaType,
  OpenApiMethod,
  OpenApiOAuthFlow,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPathItem,
  OpenApiRequestBody,
  OpenApiResponse,
  OpenApiSchema,
  OpenApiSecurityScheme,
  OpenApiServer,
  OpenApiTag,
  Reference,
  SchemaConverter,
  SchemaSide,
  SecurityRequirement,
} from './openapi.js'
export type {
  ApiBodyOptions,
  ApiOperationOptions,
  ApiResponseOptions,
  OperationFacts,
  ResponseFieldsMode,
} from './operation.js'
export type {
  Decorated,
  OptionDecorator,
  OptionSettings,
  OptionTarget,
  OptionValue,
  RouteOption,
} from './option.js'
export type {
  AnswerCall,
  CallAnswer,
  CallResult,
  CallToAnswer,
  EndCall,
  KeptCall,
  NewCall,
  RanCall,
  ReceivedBytes,
} from './outgoing-call.js'
export type { FieldOrder, ListOrder, OrderField, SortOf, SortQuery } from './page-order.js'
export type {
  CursorOptions,
  CursorPage,
  CursorPages,
  CursorQuery,
  CursorResult,
  CursorValue,
  FieldOf,
  FilterOutput,
  PagedRequest,
  PageFilter,
  Pages,
  PagesDefinition,
} from './pages.js'
export type {
  ParameterDefinition,
  ParameterPlace,
  ParameterSettings,
  RouteParameter,
} from './parameter.js'
export type {
  DescribeForDocument,
  DocumentExtensions,
  ObserverSetup,
  Plugin,
  PluginContext,
  PluginMiddlewares,
  RequestSecretTexts,
  RouteMistake,
  RouteSetup,
} from './plugin.js'
export type {
  AnyPolicy,
  CheckModel,
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
export type {
  RateLimitBy,
  RateLimitCount,
  RateLimitPolicy,
  RateLimitResult,
  RateLimitStore,
} from './rate-limit.js'
export type {
  Produced,
  ProducedModel,
  Representation,
  RepresentationBody,
} from './representation.js'
export type {
  RecordedCall,
  RecordedDecision,
  RecordedError,
  RecordedLog,
  RecordedRoute,
  RecordedStatement,
  RecordedStep,
  RequestRecord,
} from './request-record.js'
export type {
  ContractHeader,
  ContractOf,
  ContractParameter,
  RouteContract,
} from './route-contract.js'
export type { RouteBounds, RouteLimits } from './route-limits.js'
export type {
  AppModel,
  DefaultStatus,
  DefinedParameter,
  HttpMethod,
  ParameterModel,
  ParameterSource,
  RouteModel,
  RouteTableEntry,
} from './route-model.js'
export type { RouteOptions } from './route-options.js'
export type {
  FieldError,
  InferOutput,
  InputSource,
  JsonSchema,
  Schema,
} from './schema.js'
export type { SecretSource } from './secrets.js'
export type {
  SessionChange,
  SessionFields,
  SessionRecord,
  SessionStore,
  SessionStoreContext,
  SessionWrite,
} from './session.js'
export type {
  AnsweredStatement,
  AnswerStatement,
  NewStatement,
  RanStatement,
  StatementFailure,
  StatementResult,
} from './statement.js'
export type { PluginSteps, RequestOutcome, Stage, Step, StepName } from './steps.js'
export type {
  SseComment,
  SseEvent,
  SseEventOptions,
  SseOptions,
  Streamed,
  StreamFormat,
  StreamItem,
  StreamKind,
  StreamModel,
  StreamOptions,
} from './stream.js'
export type {
  TenantDecoratorOptions,
  TenantInfo,
  TenantScope,
  TenantStore,
  TenantStrategy,
} from './tenant.js'
export type { DrainOptions, JobRunReport, SentJob } from './test-jobs.js'
export type { SpanIdentity, TraceContext, TraceHeaders, TraceState } from './trace.js'
export type { Duration, Size } from './units.js'
export type {
  FileOptions,
  FileOutput,
  FileRule,
  SavedFile,
  UploadedFile,
  UploadModel,
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
