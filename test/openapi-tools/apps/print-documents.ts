import { DOCUMENTS } from './apps.js'
import { documentOf } from './document-of.js'

// Prints every document, for comparison with those of another process: a list of texts, in the order of `DOCUMENTS`.
const texts = DOCUMENTS.map(({ options, index }) => JSON.stringify(documentOf(options, index)))
process.stdout.write(JSON.stringify(texts))
