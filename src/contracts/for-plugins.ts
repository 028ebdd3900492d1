/* The types of this room that only extensions need: `src/plugin/index.ts` passes all of them on. */
export type { BodyDescription, BodyModel } from './body.js'
export type { CacheEntry, MaybePromise, StoreContext } from './cache.js'
export type { CookiesDescription } from './cookies.js'
export type { Decision, DecisionValue, NoteDecision } from './decision.js'
export type { EndedRequest, RequestObserver, ResponseCause } from './ended-request.js'
export type { FrameworkRoute } from './framework-route.js'
export type { GuardSetup } from './guard.js'
export type { CheckedHealth, HealthContext, HealthQuestion } from './health.js'
export type { UsedByRoute } from './interceptor.js'
export type { Metric, MetricSample } from './metrics.js'
export type {
  OpenApiComponents,
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
  OpenApiSecurityScheme,
  Reference,
  SchemaSide,
  SecurityRequirement,
} from './openapi.js'
export type { OperationFacts } from './operation.js'
export type {
  Decorated,
  OptionDecorator,
  OptionSettings,
  OptionTarget,
  OptionValue,
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
export type { FieldOrder, ListOrder, OrderField, SortQuery } from './page-order.js'
export type { FieldOf, FilterOutput, PageFilter, Pages, PagesDefinition } from './pages.js'
export type { ParameterDefinition, ParameterPlace, ParameterSettings } from './parameter.js'
export type {
  DescribeForDocument,
  DocumentExtensions,
  ObserverSetup,
  PluginContext,
  PluginMiddlewares,
  RequestSecretTexts,
  RouteMistake,
  RouteSetup,
} from './plugin.js'
export type { PluginWork, WorkItem } from './plugin-work.js'
export type { AnyPolicy, CheckModel } from './policy.js'
export type { RateLimitCount, RateLimitResult } from './rate-limit.js'
export type { ProducedModel } from './representation.js'
export type {
  RecordedCall,
  RecordedDecision,
  RecordedError,
  RecordedLog,
  RecordedRoute,
  RecordedStatement,
  RecordedStep,
} from './request-record.js'
export type {
  ContractHeader,
  ContractOf,
  ContractParameter,
  RouteContract,
} from './route-contract.js'
export type { RouteBounds } from './route-limits.js'
export type {
  AppModel,
  DefinedParameter,
  HttpMethod,
  ParameterModel,
  ParameterSource,
} from './route-model.js'
export type { SecretSource } from './secrets.js'
export type {
  SessionChange,
  SessionFields,
  SessionRecord,
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
export type { PluginSteps, RequestOutcome, Step, StepFactory, StepName } from './steps.js'
export type { StreamFormat, StreamKind, StreamModel } from './stream.js'
export type { TenantScope } from './tenant.js'
export type { DrainOptions, JobRunReport, SentJob } from './test-jobs.js'
export type { SpanIdentity, TraceHeaders, TraceState } from './trace.js'
export type { FileRule, UploadModel } from './upload.js'
