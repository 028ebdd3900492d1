import { test } from 'vitest'
import * as app from '../legacy/notes-app.js'
import { casesOf } from '../shared/cases.js'

for (const { name, run } of casesOf(app)) test(`legacy: ${name}`, run)
