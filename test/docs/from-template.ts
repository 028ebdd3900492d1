import { startPgliteFromTemplate } from '../pglite-template.js'

// Imported before a program: its databases start as copies of an empty one.
startPgliteFromTemplate()
