/* The types in this folder that only extensions need. `src/plugin/index.ts` re-exports all of them. */

export type { CacheEntry, MaybePromise, StoreContext } from './cache.js'
export type {
  AnsweredStatement,
  AnswerStatement,
  NewStatement,
  RanStatement,
  StatementFailure,
  StatementResult,
} from './database.js'
export type {
  Decorated,
  OptionDecorator,
  OptionMistake,
  OptionSettings,
  OptionTarget,
  OptionValue,
  ParameterDefinition,
  ParameterPlace,
  ParameterSettings,
} from './extensions.js'
export type { GuardSetup } from './guard.js'
export type {
  BodyDescription,
  BodyModel,
  CookiesDescription,
  FileRule,
  UploadModel,
} from './inputs.js'
export type { UsedByRoute } from './interceptor.js'
export type { RouteBounds } from './limits.js'
export type {
  Decision,
  DecisionValue,
  EndedRequest,
  NoteDecision,
  RequestObserver,
  ResponseCause,
} from './observers.js'
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
export type {
  FieldOf,
  FieldOrder,
  FilterOutput,
  ListOrder,
  OrderField,
  PageFilter,
  Pages,
  PagesDefinition,
  SortQuery,
} from './pages.js'
export type {
  DescribeForDocument,
  DocumentExtensions,
  FrameworkRoute,
  ObserverSetup,
  PluginContext,
  PluginMiddlewares,
  RequestSecretTexts,
  RouteMistake,
  RouteSetup,
} from './plugin.js'
export type { AnyPolicy, CheckModel } from './policy.js'
export type { RateLimitCount, RateLimitResult } from './rate-limit.js'
export type {
  CheckedHealth,
  HealthContext,
  HealthQuestion,
  Metric,
  MetricSample,
  PluginWork,
  WorkItem,
} from './reports.js'
export type { ProducedModel, StreamFormat, StreamKind, StreamModel } from './representation.js'
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
export type {
  AppModel,
  DefinedParameter,
  HttpMethod,
  ParameterModel,
  ParameterSource,
} from './route-model.js'
export type {
  SessionChange,
  SessionFields,
  SessionRecord,
  SessionStoreContext,
  SessionWrite,
} from './session.js'
export type { PluginSteps, RequestOutcome, Step, StepFactory, StepName } from './steps.js'
export type { TenantScope } from './tenant.js'
export type { DrainOptions, JobRunReport, SentJob } from './test-jobs.js'
export type { SpanIdentity, TraceHeaders, TraceState } from './trace.js'
export type { SecretSource } from './webhook.js'
