import type { ApiResponseOptions, OperationFacts } from '../contracts/operation.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { EnvelopeChoice } from '../contracts/wire-format.js'
import { isSentWithoutEnvelope } from '../schema/response-shape.js'
import { compileProduces } from './compile-produces.js'
import { type FactsByKind, factsOf, firstOf } from './facts-by-kind.js'

/** The facts about the class and the application on which a route's responses depend. */
interface Owner {
  readonly facts: FactsByKind
  readonly tags: readonly string[]
  readonly envelope: EnvelopeChoice
  readonly documented: readonly ApiResponseOptions[]
}

type Responses = Pick<
  RouteModel,
  'headers' | 'envelope' | 'produces' | 'isEnveloped' | 'responseFields' | 'operation'
>

/**
 * Compiles the settings for a route's responses, and their description in the document.
 *
 * @param status The declared status of success responses; `null` for 200, or 204 without data.
 */
export function compileResponses(
  facts: FactsByKind,
  owner: Owner,
  status: number | null,
): Responses {
  const envelope = firstOf(facts, 'envelope')?.envelope ?? owner.envelope
  const headers = compileHeaders(facts)
  const operation = compileOperation(facts, owner, status ?? 200)
  const { responses } = operation
  const isBare =
    responses.length > 0 &&
    responses.some((each) => isSentWithoutEnvelope(each, { envelope, headers }))
  const produces = compileProduces(facts, owner.facts)
  const fields = firstOf(facts, 'responseFields') ?? firstOf(owner.facts, 'responseFields')
  return {
    envelope,
    headers,
    produces,
    isEnveloped: envelope === true && !isBare && produces === null,
    responseFields: fields?.mode ?? null,
    operation,
  }
}

function compileHeaders(facts: FactsByKind): RouteModel['headers'] {
  const headers = factsOf(facts, 'header')
  if (headers.length === 0) return null
  return Object.freeze(headers.map(({ name, value }) => Object.freeze([name, value] as const)))
}

function compileOperation(facts: FactsByKind, owner: Owner, status: number): OperationFacts {
  return Object.freeze({
    tags: owner.tags,
    isHidden: owner.facts.hidden !== undefined || facts.hidden !== undefined,
    operation: Object.freeze({ ...firstOf(facts, 'operation')?.options }),
    body: firstOf(facts, 'bodyDoc')?.options ?? null,
    responses: Object.freeze(documentedBy(facts, owner, status)),
  })
}

/**
 * Returns the documented responses. If a status has several descriptions, the first in this order applies: method,
 * class, base class, application.
 */
function documentedBy(facts: FactsByKind, owner: Owner, status: number): ApiResponseOptions[] {
  const own = factsOf(facts, 'responseDoc').map(({ options }) => stated(options))
  const returned = firstOf(facts, 'returns')
  if (returned !== undefined) own.unshift(stated({ status, schema: returned.schema }))
  if (owner.facts.responseDoc === undefined && owner.documented.length === 0) return own
  const ofClass = factsOf(owner.facts, 'responseDoc').map(({ options }) => stated(options))
  for (const other of [...ofClass, ...owner.documented.map(withType)]) {
    if (!own.some((each) => each.status === other.status)) own.push(other)
  }
  return own
}

/** In JavaScript code, the value may have any type. `checkResponseDocs` reports a value that is not an object. */
function stated(options: ApiResponseOptions): ApiResponseOptions {
  return Object.freeze(withType(Object(options)))
}

/** Uses `content` as the media type too, because code without support for files reads only `contentType`. */
function withType(options: ApiResponseOptions): ApiResponseOptions {
  return options.content === undefined ? options : { ...options, contentType: options.content }
}
