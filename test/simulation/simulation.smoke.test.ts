import { SMALL, testWorlds } from './worlds.ts'

testWorlds(SMALL, 'SIMULATION_SEEDS', 16, null)
