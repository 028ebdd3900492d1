import { arktypeCorpus } from './arktype.js'
import type { CorpusEntry } from './entry.js'
import { jsonSchemaCorpus } from './json-schema.js'
import { typeboxCorpus } from './typebox.js'
import { valibotCorpus } from './valibot.js'
import { zodCorpus } from './zod.js'
import { zodDomainCorpus } from './zod-domain.js'

/** Schemas of every library, on which the document is measured. */
export const corpus: readonly CorpusEntry[] = [
  ...zodCorpus,
  ...zodDomainCorpus,
  ...valibotCorpus,
  ...arktypeCorpus,
  ...typeboxCorpus,
  ...jsonSchemaCorpus,
]
