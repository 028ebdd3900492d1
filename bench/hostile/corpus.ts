import { Body, type Class, Controller, defineControllers, Post, Query, type Request } from 'blazon'
import { ARKTYPE } from './arktype.js'
import type { Hostile } from './body.js'
import { JSON_TEXTS } from './json.js'
import { JSON_SCHEMA, TYPEBOX } from './json-schema.js'
import { PRODUCTS } from './products.js'
import { TEXTS } from './texts.js'
import { VALIBOT } from './valibot.js'
import { ZOD } from './zod.js'

/** All that is tried: requests of one body at the default limits. */
export const CORPUS: readonly Hostile[] = [
  ...JSON_TEXTS,
  ...TEXTS,
  ...ZOD,
  ...JSON_SCHEMA,
  ...TYPEBOX,
  ...VALIBOT,
  ...ARKTYPE,
  ...PRODUCTS,
]

/** A route for each hostile request, at its place in the corpus. */
export function defineTargets(): readonly Class[] {
  return defineControllers(
    ...CORPUS.map(({ schema, source, answer = () => ({ accepted: true }) }, index) => {
      const Described = source === 'query' ? Query : Body
      @Controller(`target-${index}`)
      class TargetController {
        @Post()
        @Described(schema)
        accept(req: Request) {
          return answer(req)
        }
      }
      return TargetController
    }),
  )
}

/** Method, path and body of a hostile request. */
export function requestOf(index: number): { path: string; body: string | undefined } {
  const { source, text } = CORPUS[index] as Hostile
  const path = `/target-${index}`
  return source === 'query' ? { path: `${path}?${text}`, body: undefined } : { path, body: text }
}
