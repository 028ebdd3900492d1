import { arktypeCorpus } from './arktype.js'
import type { CorpusEntry } from './entry.js'
import { jsonSchemaCorpus } from './json-schema.js'
import { typeboxCorpus } from './typebox.js'
import { valibotCorpus } from './valibot.js'
import { zodCorpus } from './zod.js'
import { zodDomainCorpus } from './zod-domain.js'

/** The schemas of all libraries with which the document is tested. */
export const corpus: readonly CorpusEntry[] = [
  ...zodCorpus,
  ...zodDomainCorpus,
  ...valibotCorpus,
  ...arktypeCorpus,
  ...typeboxCorpus,
  ...jsonSchemaCorpus,
]
