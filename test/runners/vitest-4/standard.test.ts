import { test } from 'vitest'
import { casesOf } from '../shared/cases.js'
import * as app from '../standard/notes-app.js'

for (const { name, run } of casesOf(app)) test(`standard: ${name}`, run)
