import { z } from 'zod'

export const ExhibitId = z.object({ id: z.coerce.number().int().positive().describe('Its number') })

export const Medium = z.enum(['oil', 'stone', 'paper']).meta({ id: 'Medium' })

const Size = z
  .object({ width: z.number().positive(), height: z.number().gt(0).lte(10_000) })
  .meta({ id: 'Size', description: 'In millimetres.' })

const Painting = z.object({
  kind: z.literal('painting'),
  canvas: Size,
  /** A union of scalars. */
  frame: z.union([z.string(), z.number().int(), z.boolean()]),
})

const Sculpture = z.object({
  kind: z.literal('sculpture'),
  weight: z.number().min(0).multipleOf(0.5),
  pieces: z.tuple([z.string(), z.string()]),
})

/** The form of an exhibit, a union by `kind`. */
export const Form = z.discriminatedUnion('kind', [Painting, Sculpture]).meta({ id: 'Form' })

/** Every kind of schema that can be `null`. */
export const Provenance = z
  .object({
    text: z.string().nullable(),
    year: z.int().nullable(),
    price: z.number().nullable(),
    isCertain: z.boolean().nullable(),
    medium: Medium.nullable(),
    status: z.enum(['owned', 'lent']).nullable(),
    size: Size.nullable(),
    tags: z.array(z.string().nullable()).nullable(),
    notes: z.record(z.string(), z.string().nullable()).nullable(),
    either: z.union([z.string(), z.number()]).nullable(),
    nothing: z.null(),
    maybe: z.string().nullish(),
  })
  .meta({ id: 'Provenance' })

export const NewExhibit = z
  .object({
    title: z
      .string()
      .min(1)
      .max(200)
      .meta({ examples: ['The Harbour at Dusk'] }),
    form: Form,
    medium: Medium,
    provenance: Provenance.nullable(),
    keywords: z.array(z.string().min(1)).max(20).default([]),
    inventory: z.string().regex(/^[A-Z]{2}-\d{4}$/),
    labels: z.record(z.string(), z.string()).optional(),
    isOnShow: z.boolean().default(true),
    link: z.url().optional(),
  })
  .meta({ id: 'NewExhibit' })

export const Exhibit = NewExhibit.extend({
  id: z.int().positive(),
  acquiredAt: z.iso.datetime(),
}).meta({ id: 'Exhibit', description: 'A thing that the museum owns or has on loan.' })

export const ExhibitChanges = NewExhibit.pick({ title: true, medium: true, isOnShow: true })
  .partial()
  .strict()
  .meta({ id: 'ExhibitChanges' })

/** All four inputs, with arrays and scalars in the query. */
export const ExhibitFilter = z.object({
  medium: z.array(Medium).optional().describe('Any of these'),
  year: z.array(z.coerce.number().int()).optional().describe('Any of these'),
  isOnShow: z.stringbool().optional().describe('Whether it can be seen'),
  page: z.coerce.number().int().min(1).default(1).describe('Counted from 1'),
  sort: z.enum(['title', '-title']).default('title').describe('What comes first'),
})

export const Tracing = z.object({
  'x-trace-id': z.string().min(4).optional().describe('Repeated in the logs'),
  'x-visitor': z.string().max(40).describe('Who asks'),
})

/** A tree: rooms within rooms. */
export interface Room {
  name: string
  rooms: Room[]
  parent?: Room | null | undefined
}

export const Room: z.ZodType<Room> = z
  .object({
    name: z.string().min(1),
    get rooms() {
      return z.array(Room)
    },
    get parent() {
      return Room.nullable().optional()
    },
  })
  .meta({ id: 'Room' })

/** Recursive, too, and without a name. */
interface Shelf {
  label: string
  below?: Shelf | undefined
}

export const Shelf: z.ZodType<Shelf> = z.object({
  label: z.string(),
  get below() {
    return Shelf.optional()
  },
})

export const Upload = z.object({
  image: z.file().describe('The picture'),
  caption: z.string().min(1),
  scans: z.array(z.file()).optional(),
})

export const Stored = z
  .object({ caption: z.string(), bytes: z.int(), scans: z.int() })
  .meta({ id: 'StoredImage' })
