// Repositories have the type of their entity, and the options are the options of TypeORM.
import { inject } from 'blazon'
import { dataSourceOf, repositoryOf, typeorm } from 'blazon/typeorm'
import { DataSource, type EntitySchema, type Repository } from 'typeorm'
import type { Equal, Expect } from '../expect.js'

class User {
  id!: number
  email!: string
}

interface Note {
  id: number
}

declare const NoteEntity: EntitySchema<Note>

export class Injected {
  readonly users = inject(repositoryOf(User))
  readonly notes = inject(repositoryOf(NoteEntity, 'archive'))
  readonly archive = inject(dataSourceOf('archive'))
  readonly dataSource = inject(DataSource)
}

export type Checks = [
  Expect<Equal<Injected['users'], Repository<User>>>,
  Expect<Equal<Injected['notes'], Repository<Note>>>,
  Expect<Equal<Injected['archive'], DataSource>>,
  Expect<Equal<Injected['dataSource'], DataSource>>,
]

typeorm({ type: 'sqljs', entities: [User, NoteEntity], synchronize: true })
typeorm({ name: 'archive', type: 'postgres', url: 'postgres://localhost' })
// @ts-expect-error: the driver does not exist
typeorm({ type: 'sqlite' })
// @ts-expect-error: an option of another driver
typeorm({ type: 'sqljs', applicationName: 'shop' })
// @ts-expect-error: not an entity
repositoryOf('User')
