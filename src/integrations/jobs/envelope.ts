import type { StandardSchemaV1 } from '@standard-schema/spec'
import { getTraceContext, RequestContext, requestFacts, WorkContext } from '../../index.js'
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

/** The result of a check: the value, or the reasons why there is none. */
export type Checked = { readonly value: unknown } | { readonly reasons: readonly string[] }

/** Checks an input with the schema of a job. */
export async function checkInput(
  { input: schema, name }: JobDefinition,
  input: unknown,
): Promise<Checked> {
  if (schema === null) {
    return input === undefined || input === null
      ? { value: undefined }
      : { reasons: [`${name} has no input`] }
  }
  const result = await schema['~standard'].validate(input)
  return result.issues === undefined
    ? { value: result.value }
    : { reasons: result.issues.map(reasonOf) }
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
