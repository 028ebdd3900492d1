import type { SchemaConverters } from '../../contracts/openapi.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { FieldError } from '../../contracts/schema.js'
import type { RequestAudience } from '../../http/audience.js'
import type { BlazonRequest } from '../../http/request.js'
import { markByName } from '../../schema/audience/by-name.js'
import {
  compileFindHidden,
  compileHide,
  type FindHidden,
  type HideFields,
  type MarkedSchema,
} from '../../schema/audience/hide-fields.js'
import { keyOfMark, type Mark } from '../../schema/audience/marks.js'
import {
  distinctMarks,
  type MarkedField,
  type MarkedSides,
  markedFields,
  markedSides,
  type SchemaMarks,
} from '../../schema/audience/route-marks.js'
import { readSchema } from '../../schema/fields/read-schema.js'
import { isEnveloped, mapResponses } from '../../schema/fields/response-bodies.js'
import { compileSent } from './sent-fields.js'

/** The marked fields of a route. */
export interface RouteAudience extends MarkedSides {
  /** The different marks, in a fixed order. */
  readonly marks: readonly Mark[]
  /** The marked fields of responses, items and requests, each once. */
  readonly fields: readonly MarkedField[]
  /** Returns the functions for callers who hold these marks. Equal sets have the same functions. */
  readonly forHeld: (isHeld: readonly boolean[]) => HeldAudience
}

/** The functions for callers who hold the same marks. */
export interface HeldAudience extends RequestAudience {
  /** Whether the callers see everything. */
  readonly isComplete: boolean
  /** Leaves the hidden fields out of a body, as plain data. */
  readonly hideInBody: (plain: unknown, status: number) => unknown
  /** The same for data before an envelope of the application's own is around it. */
  readonly hideInData: (plain: unknown, status: number) => unknown
  /** The same for an item of a stream. */
  readonly hideInItem: HideFields
  /** Finds the hidden fields that a body was sent with in spite of that. */
  readonly findInBody: (plain: unknown, status: number) => ReturnType<FindHidden>
  /** Lists the hidden fields that a request has. */
  readonly findSent: (req: BlazonRequest) => readonly FieldError[]
}

/** The input of {@link compileAudience}. */
export interface AudienceConfig {
  readonly schemas: readonly SchemaMarks[]
  readonly converters: SchemaConverters
}

/** Compiles the marked fields of a route. */
export function compileAudience(route: RouteModel, config: AudienceConfig): RouteAudience {
  const marks = distinctMarks(config.schemas)
  const known = new Map<string, HeldAudience>()
  return {
    marks,
    fields: markedFields(config.schemas),
    ...(markedSides(config.schemas) ?? NO_SIDES),
    forHeld(isHeld) {
      const held = marks.filter((_, index) => isHeld[index] === true)
      const key = held.map(keyOfMark).join()
      const found = known.get(key) ?? compileHeld(route, held, config)
      known.set(key, found)
      return found
    },
  }
}

const NO_SIDES: MarkedSides = { limitsResponses: false, limitsRequests: false }

function compileHeld(
  route: RouteModel,
  held: readonly Mark[],
  { schemas, converters }: AudienceConfig,
): HeldAudience {
  const keys = new Set(held.map(keyOfMark))
  const hides = (mark: Mark) => !keys.has(keyOfMark(mark))
  const maybe = markByName(schemas)
  const nothing: MarkedSchema = { schema: true, resolve: () => undefined, maybe }
  const hide = compileStatuses(route, converters, {
    of: (schema, resolve) => compileHide({ schema, resolve, maybe }, hides),
    other: compileHide(nothing, hides),
  })
  const find = compileStatuses(route, converters, {
    of: (schema, resolve) => compileFindHidden({ schema, resolve, maybe }, hides),
    other: compileFindHidden(nothing, hides),
  })
  const findSent = compileSent(route, { schemas, hides })
  return {
    held,
    isComplete: schemas.every(({ places }) => places.every(({ mark }) => !hides(mark))),
    hideInBody: hide.body,
    hideInData: hide.data,
    hideInItem: itemHider(route, { converters, maybe, hides }),
    findInBody: find.body,
    findSent,
  }
}

interface StatusMaker<T> {
  readonly of: (schema: unknown, resolve: MarkedSchema['resolve']) => (plain: unknown) => T
  /** For a status without a schema. */
  readonly other: (plain: unknown) => T
}

/** Compiles the function for bodies, and the one for data in an envelope of the application's own. */
function compileStatuses<T>(
  route: RouteModel,
  converters: SchemaConverters,
  { of, other }: StatusMaker<T>,
): Readonly<Record<'body' | 'data', (plain: unknown, status: number) => T>> {
  const bodies = mapResponses<(plain: unknown) => T>(route, converters, {
    of,
    either: (enveloped, bare) => (plain) => (isEnveloped(plain) ? enveloped : bare)(plain),
  })
  return {
    body: (plain, status) => (bodies.get(status)?.body ?? other)(plain),
    data: (plain, status) => (bodies.get(status)?.wrapped?.data ?? other)(plain),
  }
}

function itemHider(
  { stream }: RouteModel,
  {
    converters,
    maybe,
    hides,
  }: Pick<AudienceConfig, 'converters'> &
    Required<Pick<MarkedSchema, 'maybe'>> & { readonly hides: (mark: Mark) => boolean },
): HideFields {
  if (stream === null) return (plain) => plain
  const { json: schema, resolve } = readSchema(stream.item, converters)
  return compileHide({ schema, resolve, maybe }, hides)
}
