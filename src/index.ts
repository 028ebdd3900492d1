/**
 * The framework: applications, controllers, decorators, errors, and the types that they use.
 *
 * @module blazon
 */
// app
export { App } from './app/app.js'
export { BaseController } from './app/base-controller.js'
export type { AppDocument } from './app/documents.js'
export type { FetchInfo } from './app/fetch.js'
export { type AppOptions, defineAppOptions } from './app/settings/app-options.js'
export type { AuthOptions } from './app/settings/auth-options.js'
export type { CookieKeyOptions } from './app/settings/cookie-options.js'
export type { ErrorOptions } from './app/settings/error-options.js'
export type { LimitOptions } from './app/settings/limit-options.js'
export type { ListenOptions, SocketPath } from './app/settings/listen-options.js'
export type { CapsulesOptions, RecordsOptions } from './app/settings/records-options.js'
export type { ResponseOptions } from './app/settings/response-options.js'
export type { TimeoutOptions } from './app/settings/timeout-options.js'
export type { ValidationOptions } from './app/settings/validation-options.js'
export { createTenantMiddleware } from './app/tenancy/create-tenant-middleware.js'
export {
  publicRouter,
  type TenantRouterOptions,
  tenantRouter,
} from './app/tenancy/tenant-router.js'
// contracts
export type * from './contracts/public.js'
// di
export type { Override } from './di/build-container.js'
export { inject } from './di/inject.js'
export { Clock, DatabaseLink, InjectionToken } from './di/token.js'
// errors
export type { ErrorCode } from './errors/codes.js'
export { ConfigError } from './errors/config-error.js'
export type { ErrorEnvelope, ProblemDetails, SuccessEnvelope } from './errors/envelope.js'
export { AppClosingError } from './errors/failure.js'
export {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  HttpError,
  type HttpErrorOptions,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnprocessableEntityError,
  UnsupportedMediaTypeError,
} from './errors/http-error.js'
export type { CacheStats } from './features/cache/cache-engine.js'
export { tenantKey } from './features/cache/cache-engine.js'
export { CacheManager } from './features/cache/cache-manager.js'
export type { CacheOptions } from './features/cache/cache-options.js'
export { Cache } from './features/cache/decorator.js'
export { type MemoryCacheOptions, memoryCache } from './features/cache/memory-cache.js'
export type { KeepOptions, ScopedCache } from './features/cache/scoped-cache.js'
export type { CapacityOptions } from './features/capacity/capacity-options.js'
export { Deprecated } from './features/deprecated/deprecated.js'
// features
export { type EnvToken, env } from './features/env/env.js'
export type { EnvOptions } from './features/env/env-options.js'
export type { EnvRecord } from './features/env/sources.js'
export { Health, type HealthConfig } from './features/health/health.js'
export type { HealthOptions, HealthPaths } from './features/health/health-options.js'
export { IdempotencyStore } from './features/idempotency/idempotency-store.js'
export { Idempotent, type IdempotentOptions } from './features/idempotency/idempotent.js'
export { Log } from './features/logs/log.js'
export type { LoggerOptions } from './features/logs/logger-options.js'
export type { LogsOptions } from './features/logs/logs-options.js'
export type { MetricsRegistry } from './features/metrics/exposition.js'
export { Metrics } from './features/metrics/metrics.js'
export type { MetricsOptions, MetricsTenants } from './features/metrics/metrics-options.js'
export { Outgoing } from './features/outgoing/outgoing.js'
export type { OutgoingInit, OutgoingOptions } from './features/outgoing/outgoing-options.js'
export { cursor, page } from './features/pages/pages.js'
export { Checks } from './features/policies/checks.js'
export { type PolicySubject, policy } from './features/policies/policy.js'
export { RateLimit } from './features/rate-limit/decorator.js'
export {
  type MemoryRateLimitOptions,
  memoryRateLimit,
} from './features/rate-limit/memory-rate-limit.js'
export type { RateLimitOptions } from './features/rate-limit/rate-limit-options.js'
export { Queries, QueryBudget } from './features/records/queries.js'
export { RequestRecords } from './features/records/request-records.js'
export type { SecurityOptions } from './features/security/security-options.js'
export { Tenant } from './features/tenancy/tenant.js'
export {
  getTenantId,
  requireTenantId,
  runWithoutTenant,
  runWithTenant,
  TenantContext,
} from './features/tenancy/tenant-context.js'
export type {
  TenantMiddlewareOptions,
  TenantOptions,
  TenantSourceOptions,
} from './features/tenancy/tenant-options.js'
export { type TenantScopedOptions, tenantScoped } from './features/tenancy/tenant-scoped.js'
export {
  tenantFromHost,
  tenantFromPath,
  tenantFromSubdomain,
} from './features/tenancy/tenant-strategies.js'
export {
  expectedVersion,
  type RowVersion,
  Versioned,
  type VersionedOptions,
} from './features/versioned/versioned.js'
export { signWebhook, type UnsignedWebhook } from './features/webhooks/sign-webhook.js'
export { RequestContext } from './http/contexts.js'
// http
export { type CsvOptions, csv } from './http/csv.js'
export { visibilityOf } from './http/request-notes.js'
export { schemeOf } from './http/request-state.js'
export {
  type ContentOptions,
  type FileContent,
  type FileResponse,
  type FileResponseOptions,
  fileResponse,
} from './http/send/raw-body.js'
export { sseComment, sseEvent } from './http/sse-event.js'
export { getTraceContext } from './http/trace-context.js'
// metadata
export { Auth, Can, Public, Requires, TenantId } from './metadata/auth.js'
export { Controller, defineControllers, Version } from './metadata/controller.js'
export { del, get, patch, post, put, query } from './metadata/field-route.js'
export { Inject, Injectable } from './metadata/injectable.js'
export { Body, Cookies, Headers, Params, Query } from './metadata/input.js'
export { Limits } from './metadata/limits.js'
export {
  ApiBody,
  ApiExclude,
  ApiHidden,
  ApiOperation,
  ApiResponse,
  ApiResponseDoc,
  ApiTags,
} from './metadata/openapi.js'
export { compose, defineOption } from './metadata/option.js'
export { Paged } from './metadata/paged.js'
export { CurrentUser, defineParameter, Req, Res } from './metadata/parameter.js'
export {
  Envelope,
  Header,
  HttpCode,
  Produces,
  Redirect,
  ResponseFields,
} from './metadata/response.js'
export { All, Delete, Get, Head, Options, Patch, Post, Put, QueryMethod } from './metadata/route.js'
export { JsonLines, lastEventId, Sse } from './metadata/stream.js'
export { Upload } from './metadata/upload.js'
export { Use } from './metadata/use.js'
export { githubWebhooks, standardWebhooks, stripeWebhooks, Webhook } from './metadata/webhook.js'
// openapi
export type { OpenApiVersion, SwaggerOptions } from './openapi/swagger-options.js'
// schema
export { type FileSchema, file } from './schema/file-schema.js'
export { secret } from './schema/secret.js'
