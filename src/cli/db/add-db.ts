import { type Command, Option } from 'commander'
import type { ProgramContext } from '../program.js'
import { type ExamineOptions, examineDatabase } from './examine-database.js'
