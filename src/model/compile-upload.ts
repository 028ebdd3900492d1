import type { FileOptions, FileRule, UploadModel, UploadParts } from '../contracts/inputs.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import { toBytes } from '../http/units.js'
import { createValidatorCompiler } from '../schema/compile-validator.js'
import { KeyedSchema } from '../schema/composed-schemas.js'
import { FileSchema } from '../schema/file-schema.js'
import { type FactsByKind, firstOf } from './facts-by-kind.js'

/** The part of a route model that `@Upload` determines. */
type Upload = Pick<RouteModel, 'inputs' | 'upload'>

const DEFAULT_BYTES = 1024 * 1024

/** The number of bytes for boundaries and part headers, in addition to a form's content. */
const FRAMING_BYTES = 64 * 1024

/** Adds the form to a route's inputs. */
export function withUpload(facts: FactsByKind, inputs: RouteModel['inputs']): Upload {
  const parts = firstOf(facts, 'upload')?.parts
  if (parts === undefined) return { inputs, upload: null }
  // `checkUpload` reports invalid parts.
  const entries = Object.entries(Object(parts) as UploadParts)
  const settings = { isOpen: false, createCompiler: () => createValidatorCompiler() }
  const body = new KeyedSchema(entries, settings)
  return { inputs: Object.freeze({ ...inputs, body }), upload: modelOf(entries) }
}

/** Returns the rule for a file, including defaults. */
export function ruleOf({ options }: FileSchema): FileRule {
  const { maxSize, types, max = 1, optional = false } = Object(options) as FileOptions
  return Object.freeze({
    maxBytes: maxSize === undefined ? DEFAULT_BYTES : (toBytes(maxSize) ?? Number.NaN),
    types: types === undefined ? null : Object.freeze(lowerCased(types)),
    max,
    isOptional: optional,
  })
}

/** Converts the types to lower case. The options have not been checked, so they may be invalid. */
function lowerCased(types: unknown): string[] {
  return [types].flat().map((type) => String(type).toLowerCase())
}

/**
 * Returns the maximum number of bytes in a form.
 *
 * @param fieldBytes The maximum total size of the text fields: the limit for other bodies.
 */
export function bytesOfForm({ fileBytes }: UploadModel, fieldBytes: number): number {
  return fileBytes + fieldBytes + FRAMING_BYTES
}

function modelOf(entries: readonly [string, Schema][]): UploadModel {
  const files: Record<string, FileRule> = {}
  const fields: Record<string, Schema> = {}
  for (const [name, schema] of entries) {
    if (schema instanceof FileSchema) files[name] = ruleOf(schema)
    else fields[name] = schema
  }
  const fileBytes = Object.values(files).reduce((sum, { max, maxBytes }) => sum + max * maxBytes, 0)
  return Object.freeze({ files: Object.freeze(files), fields: Object.freeze(fields), fileBytes })
}
