import type { Ajv, Options } from 'ajv'
import { WorkLimit } from '../work-limit.js'
import { type Bounded, bounded, nameSoughtItems } from './bounded-code.js'
import { finiteNumbers } from './finite-numbers.js'
import { replaceEquality } from './plain-equality.js'
import { replaceUniqueItems } from './unique-items.js'

/** A draft of JSON Schema that can be asked for. */
export type Draft = '2020-12' | '2019-09' | 'draft-07'

/** Ajv has a class for each draft; all of them take the same options. */
const CLASSES: Readonly<Record<Draft, () => Promise<new (options: Options) => Ajv>>> = {
  '2020-12': async () => (await import('ajv/dist/2020.js')).Ajv2020,
  '2019-09': async () => (await import('ajv/dist/2019.js')).Ajv2019,
  'draft-07': async () => (await import('ajv')).Ajv,
}

export const DRAFTS: readonly Draft[] = ['2020-12', '2019-09', 'draft-07']

/** An Ajv whose functions count their work. */
export type BoundedAjv = Ajv & Bounded

const OPTIONS: Options = {
  useDefaults: true,
  // Vocabulary of other tools (TypeBox, OpenAPI) must not stop a schema from compiling.
  strict: false,
  strictNumbers: true,
  code: { process: (code, schema) => finiteNumbers(bounded(code, schema)) },
}

/** Makes an Ajv of one draft, with formats. */
export type CreateAjv = (options: Options) => BoundedAjv

/** Loads Ajv, with the first JSON Schema. */
export async function loadAjv(draft: Draft): Promise<CreateAjv> {
  const [DraftAjv, ajvs, formats] = await Promise.all([
    CLASSES[draft](),
    import('ajv'),
    import('ajv-formats'),
  ])
  // ajv-formats is CommonJS: what `import` calls its default depends on the loader.
  const imported = formats.default as unknown as { default?: unknown }
  const addFormats = (imported.default ?? imported) as (ajv: Ajv) => void
  return function createAjv(options) {
    const ajv = Object.assign(new DraftAjv({ ...OPTIONS, ...options }), { work: new WorkLimit() })
    addFormats(ajv)
    makeLinear(ajv)
    replaceEquality(ajv)
    replaceUniqueItems(ajv, ajvs)
    nameSoughtItems(ajv)
    // Without this, a schema that also spells a tuple the newer way would have it ignored.
    if (draft === '2019-09') {
      ajv.addKeyword({ keyword: 'prefixItems', type: 'array', macro: (items) => ({ items }) })
    }
    return ajv
  }
}

/** A user's name and password: text, perhaps a colon and text. Every text that is the one is the other. */
const CREDENTIALS = [String.raw`\S+(?::\S*)?@`, String.raw`\S+@`] as const

/** The expression of `url` tries every colon as the one before the password, and every end of both: 100 kB take minutes. */
function makeLinear(ajv: Ajv): void {
  const url = ajv.formats['url']
  if (!(url instanceof RegExp)) return
  ajv.addFormat('url', new RegExp(url.source.replace(...CREDENTIALS), url.flags))
}
