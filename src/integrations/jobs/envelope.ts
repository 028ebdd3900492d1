import type { StandardSchemaV1 } from '@standard-schema/spec'
import { getTraceContext, RequestContext } from '../../index.js'
import { requestFacts, WorkContext } from '../../plugin/index.js'
import { type JobDefinition, type JobSender, present } from './define-job.js'

/** The data of a job in the database. */
export interface Envelope {
  /** The input, as it was sent: its schema reads it again when the job runs. */
  readonly input?: unknown
  readonly tenant: string | null
  readonly sender: JobSender
  /** The schedule that has sent the job. */
  readonly plan?: string
}

/**
 * Checks an input with the schema of a job, and returns its value.
 *
 * @throws Failure with the reasons.
 */
export async function checkInput(
  { input: schema, name }: JobDefinition,
  input: unknown,
  Failure: new (message: string) => Error,
): Promise<unknown> {
  if (schema === null && input == null) return undefined
  const result = await schema?.['~standard'].validate(input)
  if (result !== undefined && result.issues === undefined) return result.value
  const reasons = result?.issues?.map(reasonOf) ?? ['it has no input']
  throw new Failure(`The input of the job ${name} does not fit its schema: ${reasons.join('; ')}`)
}

/** Reads the data of a job that any version of the application may have sent. `null` if another program has sent it. */
export function readEnvelope(data: unknown): Envelope | null {
  const { tenant, sender } = (data ?? {}) as Partial<Envelope>
  const isOurs = typeof tenant === 'string' || tenant === null
  return isOurs && typeof sender === 'object' ? (data as Envelope) : null
}

/** The request, or the job, that sends a job. */
export function currentSender(): JobSender {
  const req = RequestContext.current()
  const { facts, headers } = WorkContext.current() ?? {}
  const { requestId, user } = (req === undefined ? facts : requestFacts(req)) ?? {}
  const { traceparent } = (req === undefined ? headers : getTraceContext(req).headers) ?? {}
  return present({ requestId, traceparent, user }) as JobSender
}

function reasonOf({ message, path = [] }: StandardSchemaV1.Issue): string {
  const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return at === '' ? message : `${at}: ${message}`
}
