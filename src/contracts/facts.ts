import type { OptionSettings, ParameterDefinition, RouteOption } from './extensions.js'
import type { UploadParts } from './inputs.js'
import type { UseEntry } from './interceptor.js'
import type { RouteLimits } from './limits.js'
import type {
  ApiBodyOptions,
  ApiOperationOptions,
  ApiResponseOptions,
  ResponseFieldsMode,
} from './operation.js'
import type { PagesDefinition } from './pages.js'
import type { Token } from './provider.js'
import type { Produced, SseOptions, StreamKind } from './representation.js'
import type { HttpMethod, ParameterSource } from './route-model.js'
import type { InputSource, Schema } from './schema.js'
import type { WebhookScheme, WebhookVerifier } from './webhook.js'
import type { EnvelopeChoice } from './wire-format.js'

/** The data that decorators on a class or method declare. Decorators only store the data. */
export type Fact =
  | { readonly kind: 'controller'; readonly prefix: string }
  | { readonly kind: 'injectable' }
  | {
      readonly kind: 'route'
      readonly method: HttpMethod
      readonly path: string
      /** The handler of a field route. Other handlers are methods of the class. */
      readonly handler?: (...args: never[]) => unknown
    }
  | {
      readonly kind: 'input'
      readonly source: InputSource
      readonly schema: Schema
      /** The single key of the input that the schema describes; `undefined` for the whole input. */
      readonly key?: string
      /** The route decorator whose options contain the schema, such as `@Post`. */
      readonly by?: string
      /** The original options of `@Cookies`. */
      readonly options?: unknown
    }
  /** A body with options, as declared. `schema` is absent if the decorator has none. */
  | {
      readonly kind: 'body'
      readonly schema?: Schema
      readonly options: unknown
      /** The route decorator whose options describe the body, such as `@Post`. */
      readonly by?: string
    }
  /** The original second argument of a route decorator. Its schemas are also stored as inputs. */
  | { readonly kind: 'routeOptions'; readonly by: string; readonly options: unknown }
  /** The original argument of `@Upload`. */
  | { readonly kind: 'upload'; readonly parts: UploadParts; readonly by?: string }
  /** `@Sse` or `@JsonLines`, with its original arguments. */
  | {
      readonly kind: 'stream'
      readonly format: StreamKind
      readonly item: Schema
      readonly options: SseOptions | undefined
    }
  /** The original argument of `@Webhook`. */
  | { readonly kind: 'webhook'; readonly verifier: WebhookScheme | WebhookVerifier }
  | {
      readonly kind: 'auth'
      readonly isOptional: boolean
      /** Names of guards in `auth.guards`; empty for the default guard. */
      readonly guards: readonly string[]
    }
  | { readonly kind: 'public' }
  | { readonly kind: 'can'; readonly abilities: readonly string[] }
  /** The route option `returns`: the schema of the data in a success response. */
  | { readonly kind: 'returns'; readonly schema: Schema }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'redirect'; readonly url: string; readonly status: number }
  /** The original arguments of `@Produces`. */
  | { readonly kind: 'produces'; readonly entries: readonly Produced[] }
  | { readonly kind: 'envelope'; readonly envelope: EnvelopeChoice }
  /** The original argument of `@Limits`. */
  | { readonly kind: 'limits'; readonly limits: RouteLimits }
  /** The original arguments of `@Version`. */
  | { readonly kind: 'version'; readonly versions: readonly string[] }
  | { readonly kind: 'responseFields'; readonly mode: ResponseFieldsMode }
  | { readonly kind: 'pages'; readonly pages: PagesDefinition }
  | { readonly kind: 'tags'; readonly tags: readonly string[] }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'operation'; readonly options: ApiOperationOptions }
  | { readonly kind: 'bodyDoc'; readonly options: ApiBodyOptions }
  | { readonly kind: 'responseDoc'; readonly options: ApiResponseOptions }
  | {
      readonly kind: 'option'
      readonly option: RouteOption
      readonly value: unknown
      readonly merge: 'override' | 'list'
      /** The function that returns the error in a value. `undefined` if the option accepts every value. */
      readonly check: OptionSettings<never>['check']
      /** Whether the option is allowed on classes that are not controllers and on methods that are not routes. */
      readonly isAnywhere: boolean
    }
  | { readonly kind: 'use'; readonly entries: readonly UseEntry[] }
  /** A parameter of `defineParameter` that the route uses. */
  | { readonly kind: 'defined'; readonly definition: ParameterDefinition }
  | {
      readonly kind: 'parameter'
      readonly index: number
      readonly source: ParameterSource
      /** The only key of the source that the parameter receives. */
      readonly key?: string
      /** The parameter, if the source is `defined`. */
      readonly definition?: ParameterDefinition
    }

/** The fact of one kind. */
export type FactOf<K extends Fact['kind']> = Extract<Fact, { kind: K }>

/** The facts that one class declares itself, without inherited facts. Lists are in source order. */
export interface ClassFacts {
  readonly facts: readonly Fact[]
  readonly methods: ReadonlyMap<PropertyKey, readonly Fact[]>
  readonly fields: ReadonlyMap<PropertyKey, Token>
  /** The tokens of the constructor parameters, by position. */
  readonly parameters: ReadonlyMap<number, Token>
}
