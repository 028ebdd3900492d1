import type { ParameterDefinition, ParameterPlace } from '../contracts/extensions.js'
import type { DefinedParameter, RouteModel } from '../contracts/route-model.js'
import type { InputSource } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { createValidatorCompiler } from '../schema/compile-validator.js'
import { KeyedSchema } from '../schema/composed-schemas.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

const SOURCES: Readonly<Record<ParameterPlace, InputSource>> = {
  header: 'headers',
  query: 'query',
  path: 'params',
}

/** Returns the parameters created with `defineParameter` that a route uses, without duplicates. */
export function compileDefined(facts: FactsByKind): RouteModel['definedParameters'] {
  if (facts.defined === undefined) return null
  const definitions = new Set(facts.defined.map(({ definition }) => definition))
  return Object.freeze([...definitions].map(describe))
}

function describe(definition: ParameterDefinition): DefinedParameter {
  const { place, schema } = definition
  const source = place === null ? null : SOURCES[place.in]
  const input =
    place === null || schema === null
      ? null
      : new KeyedSchema([[place.name, schema]], {
          isOpen: false,
          createCompiler: () => createValidatorCompiler(),
        })
  return Object.freeze({ definition, source, input })
}

/** Checks the schemas of a method's parameters that were created with `defineParameter`. */
export function checkDefined(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'defined').flatMap(({ definition: { schema, place } }) => {
    const problem = schema === null ? null : schemaProblem(schema)
    if (problem === null) return []
    const cause = `The schema of its parameter '${place?.name}' ${problem.cause}`
    return [{ code: 'E_SCHEMA_INVALID', subject, cause, remedy: problem.remedy }]
  })
}
