
BprobabilitiesJ(Oó:ÆÂß:ÜÍ,;TÅ¿:Pgò:	Š;ÄtŞ:g²²;	–;Kıy?