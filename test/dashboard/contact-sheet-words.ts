/**
 * Why each page of the contact sheet differs from what it was and from its draft: a sentence for each.
 * The words are kept here, the pictures are made when they are wanted.
 */
export const WHY: Record<string, string> = {
  'sign in': 'One field as before; the draft has none.',
  studies:
    'A list with small pictures and a search, as in the draft; counts stand in columns below a title of their own on a phone; samples lost are on the page of the study, since they need its samples.',
  import: 'Files come first, and a mapping unfolds below what was found; it has no draft.',
  study:
    'Description, methods, drop-out and corrections are one press away, and samples lost come before grades, as in the draft; cells are buttons, since they open the test.',
  'study narrowed': 'The strip says what applies here, in words and numbers of these tests, as in the draft.',
  'study about': 'A part of its own instead of the foot of a page of 3,000 px.',
  'study methods': 'A part of its own, with the settings that apply.',
  'study drop-out': 'A part of its own.',
  'study corrections': 'A part of its own; the history says what changed.',
  item: 'One figure as large as its column, at y = 252 instead of below three rows of controls. The draft has lists at the left and a figure of 766 px; here they come from 1,600 px on, with a figure of 1,186 px at 1,920, and before that previous, next and a menu of participants take their place, with a figure of 828 px.',
  'item narrowed':
    'The strip tells of 29 tests, the threshold and the time, as in the draft; what differs from a default is unfolded.',
  'item layers': 'Layers are chips below the picture; the draft has one for areas.',
  'item scarf': 'As in the draft, with the legend that also chooses colours.',
  'item aois':
    'Bars stand in a figure of their own, where the draft has a table below the picture: one figure at a time.',
  'item time':
    'The time window is two sliders below the figure instead of one under each chart; the draft has a brush over bars.',
  'item all': 'All figures below each other, as the page was before, for those who want it.',
  'AOI editor': 'The same bar and strip; the board is left, what is selected right. It has no draft.',
  replay: 'The same places; the list of the played is folded above ten.',
  transitions: 'One figure at a time instead of four on 3,765 px; 43 controls.',
  'transitions arrows': 'As large as its column; the number of arrows is asked only here.',
  'transitions visits': 'Lines, then the table of the same visits.',
  'transitions first': 'Lines, numbers at risk, then the table.',
  'transitions all': 'All figures below each other, as before.',
  scanpaths: 'New: pairs of participants, one figure as large as its column.',
  microsaccades: 'New: the rate over time, with the places of a page of an item.',
  reading:
    'New: the text is larger than in the draft, the words are a folded table below it instead of a list beside it.',
  pupils: 'New since then; averages first, a trace of one test below.',
  'groups none': 'Says what a group is, and offers attributes to split by.',
  groups:
    'Heatmaps with one scale, then measures with a dot for each person and tests; the draft has medians and effects alone, and groups as chips above: here they stand right, with their conditions and n.',
  'groups time': 'New: looks with clusters.',
  'groups within': 'New: AOIs in pairs of the same people.',
  'groups mixed': 'New: groups and AOIs at once, with the analysis of variance; it has no draft.',
  'groups scarf': 'A view of its own.',
  quality:
    'Loss, rate and precision come first, each explained once, and who is pointed at can be ignored; it has no draft.',
  report:
    'Figures without tools and a head that sums up what applies, as in the draft; its sections stand left on a wide window, contents unfold.',
  export:
    'Tables to start with, a search, and the rest folded, as in the draft; settings stand right on a wide window, below the tables on others.',
  'export of a table': 'The columns, the first rows and the lines for scripts of one table.',
  jobs: 'As before, under the menu.',
  operations: 'As before, under the menu.',
  help: 'As before, with the search first.',
  'help page': 'As before.',
}
