import { z } from 'zod'

export const NoteId = z.object({ id: z.uuid() })

export const NewNote = z
  .object({
    // PostgreSQL cannot store the character U+0000.
    text: z
      .string()
      .trim()
      .min(1)
      .max(1000)
      .regex(/^[^\0]*$/),
  })
  .meta({ id: 'NewNote' })

export const Note = NewNote.extend({
  id: z.uuid(),
  createdAt: z.date(),
  version: z.int(),
}).meta({ id: 'Note' })

export const Paging = z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) })

export type NoteId = z.infer<typeof NoteId>
export type NewNote = z.infer<typeof NewNote>
export type Note = z.infer<typeof Note>
export type Paging = z.infer<typeof Paging>
