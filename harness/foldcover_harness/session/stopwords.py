"""Words that tell nothing in any unit, left out of its terms.

Rule: function words only, and none that is a telling word of another language here. Rarity finds the rest (a word of
every unit weighs nothing), but it is not known yet when a unit's terms are bounded, and is weak in the first units.
"""

from __future__ import annotations

from typing import Final

_ENGLISH = """
a able about above after again all almost already also although always am among an and another any anything are around
as at away back be became because become been before behind being below better between both but by came can cannot
could did does doing done down due during each either else enough even ever every everything except few for from
further get gets getting give given gives go goes going good got had has have having he hence her here him his how
however i if in indeed instead into is it its itself just keep kept know known last least left less let lets like
likely look looks made make makes making many may maybe me might more most much must my need needed needs neither
never new next no none nor not nothing now of off often ok okay on once one only onto or other others otherwise our
out over own per perhaps please put quite rather really right said same say says see seem seems seen several shall she
should show shows since so some something still such sure take taken than thank thanks that the their them then there
therefore these they thing things think this those though three through thus to together too toward two under unless
until up upon us use used uses using very via want wants was way we well went were what whatever when where whether
which while who whole whose why will with within without won work works would yes yet you your yours don didn doesn
isn aren wasn weren couldn wouldn shouldn hasn haven hadn ain ll ve re first second now currently actually exactly
simply
"""
_OTHERS = """
aber alle als auch auf aus bei bin bis bist das dass dein dem den der des dich dir doch durch ein eine einem einen
einer eines euch für gegen haben hatte hier ich ihm ihn ihr ihre immer ist jetzt kann kein keine können mehr mein mich
mit muss nach nicht noch nur oder ohne schon sehr seine sich sie sind soll über und uns unter vom von vor warum wenn
werden wie wir wird wurde zum zur zwischen bitte alors après aussi autre avant avec avoir cela celle ces cette ceux
chez comme dans depuis deux dont elle elles est été être fait faire ils leur les lui mais même mes moi nos notre nous
par pas peut plus pour pourquoi quand que quel quelle qui quoi sans ses sont sous sur tous tout toute toutes très une
vous votre algo antes aquí así como con cuando cual cuál del desde donde ella ellos entre era eres esa ese eso esta
está están estas este esto estos fue hace hacer hasta hay las los más mientras muy nada para pero porque puede qué
quien sea según ser sido siempre sin sobre son también tiene todo todos una uno usted ainda até com das dele depois
dos ela eles essa esse fazer foi isso isto já mais mas muito não nas nos onde outra outro para pela pelo pode porque
qual quando quem são sem seu sua também tem uma você anche che chi come con cosa così degli del della delle dello dove
gli hanno loro nella nelle non ogni per perché più quale quando quello questa questo senza sono sua sul sulla suo tra
tutti tutto без был была были было быть вас вам все всё всего вот где даже для его если есть еще ещё или как какой
когда который которые меня мне может можно мой надо нас наш него нет них ничего она они оно после потому почти при раз
свой себе себя так также там тебя тем теперь то тогда того тоже только тот тут уже чем через что чтобы чтоб эта эти
это этого этот на не но по до за из от об во со бы же ли да мы вы он их ее её им
"""
STOPWORDS: Final = frozenset((_ENGLISH + _OTHERS).split())
