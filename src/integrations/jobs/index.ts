/**
 * Jobs and schedules: work that runs outside of requests, for the tenant of the code that sends it. Sending a job is
 * part of the sender's transaction.
 *
 * @module blazon/jobs
 */

export {
  defineJob,
  type JobDefinition,
  type JobOf,
  type JobOptions,
  type JobRun,
  type JobSender,
} from './job.js'
export { jobs } from './jobs.js'
export type { JobsOptions } from './jobs-options.js'
export { Jobs, type SendArguments, type SendOptions } from './sender.js'
export { listJobs, retryJob, type StoredJob, type StoredJobsFilter } from './stored-jobs.js'
export {
  type WebhookDeliveryLog,
  type WebhookEndpoint,
  WebhookEndpoints,
  type WebhookEvent,
  Webhooks,
} from './webhooks.js'
export { Cron, type CronOptions, Job, type JobDecorator, Worker } from './worker.js'
